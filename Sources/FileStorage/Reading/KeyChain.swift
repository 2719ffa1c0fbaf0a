internal import RecordStorage
internal import Sealing
internal import Synchronization

/// The keys of the epochs that this store has met. Unlocking a slot may be slow or ask a person; once per epoch is enough.
final class KeyChain: Sendable {
    typealias Unlock = @Sendable (KeySlots) throws(StorageError) -> GroupKeys

    private let unlock: Unlock
    private let known: Mutex<[UInt32: JournalKeys]>

    init(unlock: @escaping Unlock) {
        self.unlock = unlock
        known = Mutex([:])
    }

    func add(_ keys: JournalKeys) {
        known.withLock { $0[keys.epoch] = keys }
    }

    /// The keys for a journal with this header, whose hash is checked with them.
    func keys(for header: JournalHeader, bytes: RawSpan) throws(StorageError) -> JournalKeys {
        let cached = known.withLock { $0[header.epoch] }
        if let cached, cached.group.uuid == header.group {
            if try JournalHeader.verifies(bytes, keys: cached) { return cached }
        }
        let slots: KeySlots
        do throws(SealingError) {
            slots = try KeySlots(encoded: header.keySlots)
        } catch {
            throw StorageError(sealing: error, detail: "the key slots in the header make no sense")
        }
        let keys = try JournalKeys(unlock(slots))
        guard keys.group.uuid == header.group, keys.epoch == header.epoch else {
            throw StorageError(.damaged, detail: "the key slots in the header belong to another group or epoch")
        }
        guard try JournalHeader.verifies(bytes, keys: keys) else {
            throw StorageError(.damaged, detail: "the header does not verify")
        }
        add(keys)
        return keys
    }
}
