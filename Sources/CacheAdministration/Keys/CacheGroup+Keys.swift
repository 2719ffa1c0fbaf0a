// SPDX-License-Identifier: Apache-2.0

internal import GroupDirectory
internal import GroupRecords
package import RecordStorage
internal import Sealing
public import TokenCaching

extension CacheGroup {
    /// Changes the root key of the group and reseals everything. Afterwards an old key opens neither what is stored now
    /// nor what is written later.
    ///
    /// Other processes adopt the new key by themselves if they can open one of the new slots; they ask for a passphrase
    /// again. The library's own key file is replaced, and the old one overwritten and removed once the new keys are in
    /// effect. A passphrase or key file of the caller that is kept still opens older copies of the group.
    /// Meanwhile other processes can read; writers wait.
    ///
    /// A group in the keyring has no slots; its items are resealed one by one, and the next process that opens the
    /// group resumes an interrupted change.
    ///
    /// - Parameters:
    ///   - options: which slots to keep.
    ///   - progress: is passed the progress of resealing, and can cancel. Nothing is changed then, except that a change
    ///     that has begun in the keyring stays unfinished, as the error's detail says.
    /// - Returns: the new epoch, its slots, and those that were dropped.
    /// - Throws: `keyMissing` if a slot would be lost without consent, `lastSlot`; `damaged` if a record cannot be
    ///   opened, in which case repair the group first; `busy`; `storageMismatch` for a group in memory.
    @discardableResult
    public func rekey(
        options: RekeyOptions = RekeyOptions(),
        progress: ProgressHandler? = nil
    ) throws(TokenCacheError) -> RekeyReport {
        try rekey(options: options, progress: progress, onStep: nil)
    }

    /// The same for tests: `onStep` is called at each step, and an error that it returns ends the call as if the
    /// process were killed.
    package func rekey(
        options: RekeyOptions = RekeyOptions(),
        progress: ProgressHandler? = nil,
        onStep: ((RekeyStep) -> StorageError?)?
    ) throws(TokenCacheError) -> RekeyReport {
        if case .store(let store) = opened.custody { return try rekey(store, progress) }
        return try changeKeys(newTime(), progress: progress, onStep: onStep) {
            (change) throws(StorageError) in
            try change.rekey(options)
        }
    }

    /// Changes the keys of a group in the keyring. A change that is cancelled once it has begun stays unfinished.
    private func rekey(
        _ store: any KeyHoldingStore,
        _ progress: ProgressHandler?
    ) throws(TokenCacheError) -> RekeyReport {
        let deadline = newDeadline()
        do throws(StorageError) {
            guard let directory = opened.directory else { throw StorageError(.storageMismatch) }
            // The lock is held while records are resealed, so the caller's handler runs on another thread.
            try CallbackRelay.run(progress: progress) { relay throws(StorageError) in
                // A migration relies on it that the keys do not change.
                try directory.withLock(.keys, until: deadline) { () throws(StorageError) in
                    try Self.replaceKeys(of: store, until: deadline, relay)
                }
            }
        } catch {
            throw error.code == .cancelled
                ? TokenCacheError(StorageError(.cancelled, detail: error.detail)) : TokenCacheError(error)
        }
        return RekeyReport(epoch: store.groupKeys.epoch, slots: [], droppedSlots: [], keptKeyFiles: [])
    }

    private static func replaceKeys(
        of store: any KeyHoldingStore,
        until deadline: Deadline,
        _ relay: CallbackRelay
    ) throws(StorageError) {
        let detail = "only a part was re-encrypted; the next process that opens the group for writing continues"
        var hasBegun = false
        var meter: ProgressMeter?
        do throws(StorageError) {
            try store.replaceKeys(
                until: deadline,
                meter: { completed, total, recordCount throws(StorageError) in
                    hasBegun = completed > 0
                    do throws(StorageError) {
                        if meter == nil {
                            meter = ProgressMeter(
                                { relay.report($0) },
                                phase: .writing,
                                totalBytes: UInt64(total),
                                callsPerLook: 1
                            )
                            try meter?.enter(.writing, completedBytes: completed, entryCount: recordCount)
                        }
                        try meter?.note(completedBytes: completed, entryCount: recordCount)
                    } catch {
                        throw StorageError(.cancelled, detail: hasBegun ? detail : nil)
                    }
                },
                { keys throws(StorageError) in try sealing(try keys.nextEpoch()) }
            )
        } catch {
            // A timeout would suggest that nothing was changed.
            let isOpen = hasBegun && (error.code == .timeout || error.code == .indeterminate)
            throw isOpen ? StorageError(.indeterminate, detail: detail) : error
        }
    }

    /// Whether key slots open the group. They do not if its records are in the keyring.
    public var hasKeySlots: Bool {
        if case .slots = opened.custody { true } else { false }
    }

    /// Returns the key slots of the group. Reads key files, but does not prompt the user.
    ///
    /// - Returns: one summary for each slot.
    /// - Throws: `storageMismatch` if the group has no key slots, and errors of reading it.
    public func keySlots() throws(TokenCacheError) -> [SlotSummary] {
        try keySlots(newTime())
    }

    private func keySlots(_ time: WaitingTime) throws(TokenCacheError) -> [SlotSummary] {
        let change = try keyChange(time, progress: nil, nil)
        defer { change.store.close() }
        return try opened.translating(try change.slots())
    }

    /// Adds a key slot. Its secret opens everything that is stored now and later.
    ///
    /// - Parameter unlocking: the secret that opens it. A named key file that does not exist is created.
    /// - Returns: the new slot.
    /// - Throws: `tooManySlots`, `passphraseSlotExists`, `exists` if the group already has its own key file.
    @discardableResult
    public func addKeySlot(_ unlocking: FileUnlocking) throws(TokenCacheError) -> SlotSummary {
        let materials = try translating(try KeyMaterial.all(in: unlocking))
        guard let material = materials.first, materials.count == 1 else {
            throw TokenCacheError(StorageError(.invalidRequest, detail: "only one key slot can be added at a time"))
        }
        let time = newTime()
        let slots = try keySlots(time)
        guard slots.count < KeySlots.maximumSlotCount else { throw TokenCacheError(.tooManySlots) }
        if material.slotKind.isSingle, slots.contains(where: { $0.kind.slotKind == material.slotKind }) {
            throw TokenCacheError(.passphraseSlotExists)
        }
        return try changeKeys(time, progress: nil, onStep: nil) {
            (change) throws(StorageError) in
            try change.add(material)
        }
    }

    /// Removes a key slot, and changes the keys, because anyone who could open the slot may know them.
    ///
    /// - Parameters:
    ///   - id: the slot's id or at least its first four digits.
    ///   - options: which of the other slots to keep.
    ///   - progress: is called with the progress of resealing, and can cancel.
    /// - Returns: the new epoch, its slots, and any others that were dropped.
    /// - Throws: `slotNotFound`, `lastSlot`, and the errors of ``rekey(options:progress:)``.
    @discardableResult
    public func removeKeySlot(
        _ id: String,
        options: RekeyOptions = RekeyOptions(),
        progress: ProgressHandler? = nil
    ) throws(TokenCacheError) -> RekeyReport {
        let prefix = id.lowercased()
        let time = newTime()
        let slots = try keySlots(time)
        let matches = slots.filter { prefix.utf8.count >= 4 && $0.id.hasPrefix(prefix) }
        guard let slot = matches.first, matches.count == 1, let slotID = SlotID(slot.id) else {
            throw TokenCacheError(.slotNotFound)
        }
        guard slots.count > 1 else { throw TokenCacheError(.lastSlot) }
        return try changeKeys(time, progress: progress, onStep: nil) {
            (change) throws(StorageError) in
            try change.rekey(options, removing: slotID)
        }
    }

    private func changeKeys<Result>(
        _ time: WaitingTime,
        progress: ProgressHandler?,
        onStep: ((RekeyStep) -> StorageError?)?,
        _ body: (KeyChange) throws(StorageError) -> Result
    ) throws(TokenCacheError) -> Result {
        if let readOnlyReason { throw readOnlyReason }
        let change = try keyChange(time, progress: progress, onStep)
        defer { change.store.close() }
        do throws(StorageError) {
            let lock = try change.directory.lock(.keys, until: time.deadline)
            _ = try change.store.refresh(until: time.deadline)
            let result = try body(change)
            lock.release()
            return result
        } catch {
            if error.code == .cancelled, onStep == nil { throw TokenCacheError(.cancelled) }
            throw TokenCacheError(opened.unlocker?.takeRefusal() ?? opened.cause(of: error))
        }
    }

    private func keyChange(
        _ time: WaitingTime,
        progress: ProgressHandler?,
        _ onStep: ((RekeyStep) -> StorageError?)?
    ) throws(TokenCacheError) -> KeyChange {
        guard case .slots(let store, let unlocker, let files) = opened.custody, let directory = opened.directory else {
            throw TokenCacheError(
                StorageError(
                    .storageMismatch,
                    detail: "a group in \(opened.location.kind.phrase) has no key slots",
                    advice:
                        "To have key slots, move the group to the encrypted file first: run cachetool migrate --to file"
                )
            )
        }
        return KeyChange(
            opened: opened,
            directory: directory,
            unlocker: unlocker,
            ownKeyFiles: files,
            store: try opened.translating(try snapshot(of: store, unlocker, time)),
            time: time,
            onStep: onStep,
            progress: progress
        )
    }

    /// If another process changed the keys, this may ask the user for a passphrase.
    private func snapshot(
        of store: any SlottedStore,
        _ unlocker: KeyUnlocker,
        _ time: WaitingTime
    ) throws(StorageError) -> any SlottedStore {
        try unlocker.restarting(time) { () throws(StorageError) in
            try opened.confirmReading()
            return try store.snapshot(until: time.deadline)
        }
    }
}
