// SPDX-License-Identifier: Apache-2.0

internal import GroupDirectory
internal import RecordStorage
internal import Sealing
internal import Synchronization

/// The keys of the epochs that this store has unlocked. Unlocking a slot may be slow or ask the user, so it is done
/// once per epoch, by one thread, without holding a lock.
final class KeyChain: Sendable {
    typealias Unlock = @Sendable (KeySlots, Deadline) throws(StorageError) -> GroupKeys

    private let unlock: Unlock
    /// The name that the journal must be for; `nil` if any is accepted.
    private let name: GroupName?
    private let known: Mutex<[UInt32: JournalKeys]>
    private let lastSlots = Mutex<KeySlots?>(nil)
    /// Held by the unlocking thread; the others wait for the result, each until its own deadline.
    private let turn = TimedLock()

    /// Called after a transaction that removed data at the user's request, once it is durable and with no lock held.
    let removalHandler = Mutex<RemovalHandler?>(nil)

    typealias RemovalHandler = @Sendable (_ slots: KeySlots, _ sequence: UInt64, _ deadline: Deadline) -> Void

    init(of name: GroupName?, unlock: @escaping Unlock) {
        self.name = name
        self.unlock = unlock
        known = Mutex([:])
    }

    /// The slots last unlocked; `nil` if none were.
    var unlockedSlots: KeySlots? { lastSlots.withLock { $0 } }

    func add(_ keys: JournalKeys) {
        known.withLock { $0[keys.epoch] = keys }
    }

    /// The keys that verify the hash of this header; `nil` if they must be unlocked first.
    func knownKeys(for header: JournalHeader, bytes: RawSpan) throws(StorageError) -> JournalKeys? {
        let cached = known.withLock { $0[header.epoch] }
        guard let cached, cached.group.uuid == header.group, try JournalHeader.verifies(bytes, keys: cached)
        else { return nil }
        return cached
    }

    /// The keys that verify the hash of this header, unlocked if they are not known. The caller holds no lock.
    ///
    /// - Throws: ``StorageError/Code/timeout`` if another thread is still unlocking at the deadline, and errors of
    ///   unlocking.
    func keys(
        for header: JournalHeader,
        bytes: RawSpan,
        until deadline: Deadline
    ) throws(StorageError) -> JournalKeys {
        if let known = try knownKeys(for: header, bytes: bytes) { return known }
        guard turn.acquire(until: deadline) else {
            throw StorageError(.timeout, detail: "another thread is unlocking the keys of the group")
        }
        defer { turn.release() }
        if let known = try knownKeys(for: header, bytes: bytes) { return known }
        return try unlocked(header, bytes: bytes, until: deadline)
    }

    private func unlocked(
        _ header: JournalHeader,
        bytes: RawSpan,
        until deadline: Deadline
    ) throws(StorageError) -> JournalKeys {
        let slots = try header.decodedKeySlots()
        let keys = try JournalKeys(unlock(slots, deadline))
        guard keys.group.uuid == header.group, keys.epoch == header.epoch else {
            throw StorageError(.damaged, detail: "the key slots in the header belong to another group or epoch")
        }
        guard try JournalHeader.verifies(bytes, keys: keys) else {
            throw StorageError(.damaged, detail: "the header does not verify")
        }
        if let name, try header.isNamed(name, keys: keys) == false {
            throw StorageError(
                .foreign,
                detail: "this journal belongs to a group of another name",
                advice:
                    "If the folder was renamed, rename it back; to make this copy a group of its own, run cachetool "
                    + "repair --adopt; to read it as it is, run cachetool export --accept-name FILE"
            )
        }
        add(keys)
        lastSlots.withLock { $0 = slots }
        return keys
    }
}
