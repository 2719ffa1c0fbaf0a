// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupRecords
internal import RecordStorage
internal import Sealing
internal import Synchronization
internal import UnifiedSchema

/// One call that is about to ask the user to sign in. Of all callers of a group that want to ask for the same client,
/// or for clients of one family, at the same authority, only one asks; the others wait for the answer.
///
/// Do not wait for a turn while redeeming a refresh token: the caller that asks may have to redeem one.
package final class Interaction: Sendable {
    private let engine: Engine
    private let authority: String
    /// The host in whose cloud the client's family is looked up.
    private let environment: String
    private let deadline: Deadline
    /// The least time that must be left for a window to be worth opening.
    private let shortestQuestion: Duration
    private let renewalInterval: Duration
    private let memory = Mutex(Memory())

    private struct Memory: Sendable {
        /// Answers of transactions up to this one belong to earlier questions. Nil before the group was read.
        var known: UInt64?
        var held: (number: UInt64, lease: any StoreLease)?
        /// The last note of another process, and when it was first seen.
        var seen: (note: InteractionNote, since: ContinuousClock.Instant)?
        var hasWaited = false
    }

    /// How long the note of an earlier holder of the lease may still be seen: the new holder writes its own a moment
    /// later.
    private static let grace = Duration.seconds(5)

    init(
        _ engine: Engine,
        authority: String,
        environment: String,
        timeout: Duration,
        renewalInterval: Duration
    ) {
        self.engine = engine
        self.authority = authority
        self.environment = environment
        self.renewalInterval = renewalInterval
        deadline = .after(timeout)
        shortestQuestion = timeout / 10
    }

    /// Waits for this caller's turn, or for the answer to another caller that asks the same.
    ///
    /// Call it again if the answer does not help.
    ///
    /// - Returns: what to do.
    /// - Throws: `cancelled` if the task is cancelled, `readOnly` if no answer can be stored, and errors of reading.
    package nonisolated(nonsending) func turn() async throws(TokenCacheError) -> InteractionTurn {
        do throws(StorageError) {
            return try await nextTurn()
        } catch {
            releaseLease()
            throw TokenCacheError(error)
        }
    }

    private nonisolated(nonsending) func nextTurn() async throws(StorageError) -> InteractionTurn {
        while true {
            let revision = engine.currentRevision()
            switch try await step() {
            case .finished(let turn):
                return turn
            case .ask(let lease):
                if memory.withLock({ $0.hasWaited }), deadline.remaining < shortestQuestion {
                    lease.lease.release()
                    return .busy(processID: nil)
                }
                let mine = InteractionLease(
                    engine,
                    about: lease.subject,
                    holding: lease.lease,
                    renewalInterval: renewalInterval
                )
                await mine.begin()
                return .ask(mine)
            case .wait(let number):
                memory.withLock { $0.hasWaited = true }
                try await wait(for: number, since: revision)
            }
        }
    }

    private enum Step: Sendable {
        case finished(InteractionTurn)
        case ask((subject: InteractionSubject, lease: any StoreLease))
        case wait(UInt64)
    }

    /// Reads the newest state on a thread of the pool. A store that is busy now is read again until the deadline.
    private nonisolated(nonsending) func step() async throws(StorageError) -> Step {
        let isUrgent = memory.withLock { $0.held != nil }
        do throws(StorageError) {
            return try await BlockingPool.shared.run(isUrgent: isUrgent, until: deadline) {
                [self] () throws(StorageError) in
                try look()
            }
        } catch {
            guard error.isStoreBusy, !deadline.hasPassed else { throw error }
            do { try await Task.sleep(for: .milliseconds(20)) } catch { throw StorageError(.cancelled) }
            return try await step()
        }
    }

    private func look() throws(StorageError) -> Step {
        let (subjects, notes, newest) = try read()
        let known = memory.withLock { memory in
            if memory.known == nil { memory.known = newest }
            return memory.known ?? newest
        }
        let answers = notes.flatMap(\.answers).filter { $0.sequence > known }.sorted { $0.sequence < $1.sequence }
        if !answers.isEmpty { releaseLease() }
        for answer in answers {
            memory.withLock { $0.known = answer.sequence }
            if let turn = try turn(after: answer.value) { return .finished(turn) }
        }
        let subject = subjects[0]
        let number = try leaseNumber(of: subject)
        // The group was read while holding the lease, so no other caller is asking.
        let held = memory.withLock { memory in
            defer { memory.held = nil }
            return memory.held
        }
        if let held {
            if held.number == number { return .ask((subject, held.lease)) }
            // The client turned out to belong to a family.
            held.lease.release()
        }
        if try take(number) { return try look() }
        let note = notes.first { $0.subject == subject }
        if let process = silentProcess(note) { return .finished(.busy(processID: process)) }
        if deadline.hasPassed { return .finished(.busy(processID: processID(note))) }
        return .wait(number)
    }

    /// The family of the client, once that is known, then the client itself; the notes about them; and the newest
    /// transaction that wrote to the group's partition.
    private func read() throws(StorageError) -> ([InteractionSubject], [InteractionNote], UInt64) {
        let deadline = engine.newDeadline()
        let freshness = try engine.freshen(ClockReading.now(engine.clock), until: deadline)
        if let staleness = freshness.staleness { throw staleness.error }
        let stored = try PartitionEntries(
            try engine.store.contents(of: engine.groupPartition, until: deadline),
            codec: engine.codec
        ) { $0.isAppMetadata || $0.isInteraction }
        var subjects = [InteractionSubject(.client(engine.foldedClient), authority: authority)]
        let client = stored.appMetadata(
            of: UTF8Text(engine.foldedClient),
            in: UTF8Text(environment).normalized(),
            engine.clouds
        )
        if let family = client?.fields.familyID?.normalized().string, !family.isEmpty {
            subjects.insert(InteractionSubject(.family(family), authority: authority), at: 0)
        }
        let notes = stored.interactions.map(\.note).filter { note in subjects.contains { $0 == note.subject } }
        return (subjects, notes, stored.records.map(\.sequence).max() ?? 0)
    }

    /// - Returns: nil if the account that signed in was removed again.
    private func turn(after answer: InteractionNote.Answer) throws(StorageError) -> InteractionTurn? {
        switch answer {
        case .declined: return .declined
        case .cancelled: return .cancelled
        case .signedIn(let partition):
            let accounts = try engine.accounts(matching: .signedIn, until: engine.newDeadline())
            for account in accounts where account.hasHomeAccountID {
                let id = HomeAccountID.comparable(UTF8Text(account.id.text))
                if try engine.codec.partition(ofAccount: id.bytes) == partition { return .signedIn(account) }
            }
            return nil
        }
    }

    // MARK: - The lease

    private func leaseNumber(of subject: InteractionSubject) throws(StorageError) -> UInt64 {
        let sealer = try engine.codec.unlockedKeys.tagSealer()
        let number = try sealing(try sealer.leaseNumber(kind: 3, secret: subject.bytes.rawSpan))
        return LeaseNumber.firstOfInteractions + number
    }

    private func take(_ number: UInt64) throws(StorageError) -> Bool {
        guard let lease = try engine.freeLease(number) else { return false }
        memory.withLock { $0.held = (number, lease) }
        return true
    }

    private func releaseLease() {
        memory.withLock { memory in
            memory.held?.lease.release()
            memory.held = nil
        }
    }

    // MARK: - Waiting

    /// Waits until the group changes, the lease is free (then this takes it), or the deadline passes.
    private nonisolated(nonsending) func wait(for number: UInt64, since revision: UInt64) async throws(StorageError) {
        var milliseconds: Int64 = 5
        let longest = ContinuousClock.now + .seconds(1)
        repeat {
            let pause = min(.milliseconds(milliseconds), max(deadline.remaining, .milliseconds(1)))
            do { try await Task.sleep(for: pause) } catch { throw StorageError(.cancelled) }
            milliseconds = min(milliseconds * 2, 100)
            // Return after a while in any case, to check the age of the note as well.
            if engine.currentRevision() != revision || deadline.hasPassed || ContinuousClock.now > longest { return }
        } while try !take(number)
    }

    /// The process that holds the lease, if it is known and has been silent for too long: it was stopped, or hangs.
    private func silentProcess(_ note: InteractionNote?) -> Int32? {
        guard let note, note.isSilent(at: engine.clock.now().secondsSince1970), wasSeenBefore(note) else { return nil }
        return note.processID
    }

    /// The process that holds the lease, if it is known.
    private func processID(_ note: InteractionNote?) -> Int32? {
        guard let note, !note.isSilent(at: engine.clock.now().secondsSince1970) || wasSeenBefore(note) else {
            return nil
        }
        return note.processID
    }

    /// Whether a note has not changed for some seconds, so that it is not an earlier holder's.
    private func wasSeenBefore(_ note: InteractionNote) -> Bool {
        memory.withLock { memory in
            if let seen = memory.seen, seen.note == note { return seen.since.duration(to: .now) >= Self.grace }
            memory.seen = (note, .now)
            return false
        }
    }
}

/// What a caller that wants to ask the user does next.
package enum InteractionTurn: Sendable {
    /// Ask. No other caller does until the lease is released.
    case ask(InteractionLease)
    /// Another caller's question was answered since this call began: this account signed in. Check whether it helps.
    case signedIn(Account)
    /// The user declined another caller's question since this call began.
    case declined
    /// Another caller withdrew its question since this call began.
    case cancelled
    /// Another caller is still asking, and the deadline has passed or that caller was silent for five minutes. Contains
    /// its process, if known.
    case busy(processID: Int32?)
}

extension TokenCache {
    /// A call that is about to ask the user to sign in at an authority.
    ///
    /// - Parameters:
    ///   - authority: the URL of the authority.
    ///   - environment: its host, as stored with tokens.
    ///   - timeout: how long to wait for another caller's answer.
    ///   - renewalInterval: how often the caller that asks renews its note.
    /// - Returns: the call, which has not waited yet.
    package func interaction(
        at authority: String,
        environment: String,
        timeout: Duration,
        renewalInterval: Duration = .seconds(100)
    ) -> Interaction {
        Interaction(
            engine,
            authority: authority,
            environment: environment,
            timeout: timeout,
            renewalInterval: renewalInterval
        )
    }
}
