// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import GroupRecords
internal import RecordStorage
internal import Synchronization

extension TokenCache {
    /// Takes a lease for a sign-in that no other caller waits for, so that nobody takes the group for unused meanwhile. It
    /// lasts until its last reference goes away.
    ///
    /// - Throws: `storageMoved` if the group is gone already, and codes about its files.
    package func leaseForSignIn() throws(TokenCacheError) -> (any Sendable)? {
        let number = LeaseNumber.firstOfInteractions + .random(in: 0..<LeaseNumber.firstOfInteractions)
        return try translating(try engine.store.tryLease(number))
    }
}

/// The right to ask the user. It lasts until it is released, its last reference goes away, or the process ends.
///
/// While it is held, a note in the group is renewed periodically. If the note cannot be written, other callers only
/// watch the lease.
package final class InteractionLease: Sendable {
    /// What the user is asked about; for the request whose response is saved, see ``TokenRequest/interaction``.
    package let subject: InteractionSubject
    private let engine: Engine
    private let lease: any StoreLease
    private let renewalInterval: Duration
    private let renewals = Mutex<Task<Void, Never>?>(nil)

    /// How long to wait before retrying to write a note.
    private static let retryInterval = Duration.seconds(1)

    init(
        _ engine: Engine,
        about subject: InteractionSubject,
        holding lease: any StoreLease,
        renewalInterval: Duration
    ) {
        self.engine = engine
        self.subject = subject
        self.lease = lease
        self.renewalInterval = renewalInterval
    }

    deinit { release() }

    /// Writes the first note, and begins to renew it.
    nonisolated(nonsending) func begin() async {
        var isWritten = await Self.renew(subject, engine)
        let task = Task.detached { [weak self, engine, subject, renewalInterval] in
            while true {
                do { try await Task.sleep(for: isWritten ? renewalInterval : Self.retryInterval) } catch { return }
                guard self != nil else { return }
                isWritten = await Self.renew(subject, engine)
            }
        }
        renewals.withLock { $0 = task }
    }

    private nonisolated(nonsending) static func renew(_ subject: InteractionSubject, _ engine: Engine) async -> Bool {
        do throws(StorageError) {
            let deadline = engine.newDeadline()
            try await BlockingPool.shared.run(isUrgent: true, until: deadline) { () throws(StorageError) in
                try engine.noteAsking(about: subject, until: deadline)
            }
            return true
        } catch {
            return false
        }
    }

    /// Tells all waiting callers that the user declined. That the user signed in is recorded by saving the response.
    package nonisolated(nonsending) func decline() async {
        await answer(.declined)
    }

    /// Tells all waiting callers that the question was withdrawn.
    package nonisolated(nonsending) func cancel() async {
        await answer(.cancelled)
    }

    private nonisolated(nonsending) func answer(_ answer: InteractionNote.Answer) async {
        let (engine, subject) = (engine, subject)
        // If it cannot be written, the next caller asks again.
        let deadline = engine.newDeadline()
        try? await BlockingPool.shared.run(isUrgent: true, until: deadline) { () throws(StorageError) in
            try engine.change(until: deadline) { (transaction) throws(StorageError) in
                try engine.note(answer, about: subject, &transaction)
            }
        }
    }

    /// Lets the next caller ask.
    package func release() {
        renewals.withLock { task in
            task?.cancel()
            task = nil
        }
        lease.release()
    }
}

extension Engine {
    /// Notes that this process asks the user now.
    fileprivate func noteAsking(about subject: InteractionSubject, until deadline: Deadline) throws(StorageError) {
        let (process, now) = (getpid(), clock.now().secondsSince1970)
        try change(until: deadline) { (transaction) throws(StorageError) in
            try keep(subject, in: &transaction) { $0.asking(process, at: now) }
        }
    }

    /// Notes what the user answered.
    func note(
        _ answer: InteractionNote.Answer,
        about subject: InteractionSubject,
        _ transaction: inout Transaction
    ) throws(StorageError) {
        let sequence = transaction.context.sequence
        try keep(subject, in: &transaction) { $0.answered(answer, in: sequence) }
    }

    private func keep(
        _ subject: InteractionSubject,
        in transaction: inout Transaction,
        _ change: (InteractionNote) -> InteractionNote
    ) throws(StorageError) {
        let tag = try codec.interactionTag(subject)
        let stored = try transaction.entries(of: groupPartition, where: \.isInteraction)
        let old = stored.interactions.first { $0.record.tag == tag }?.note ?? InteractionNote(subject)
        try transaction.put(change(old).encoded(), kind: .interaction, tag: tag, in: groupPartition)
        let others = stored.records.filter { $0.kind.isInteraction && $0.tag != tag }
        for record in others.sorted(by: { $0.sequence < $1.sequence }).surplus(beside: 0, limit: InteractionNote.limit)
        {
            try transaction.remove(record.tag, in: groupPartition, erasingSecret: false)
        }
    }
}
