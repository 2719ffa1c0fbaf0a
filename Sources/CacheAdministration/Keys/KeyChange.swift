// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupDirectory
internal import GroupRecords
internal import RecordStorage
internal import Sealing
internal import TokenCaching

/// Changes the keys of a group, or its key slots. Only one change per group at a time: the lock for keys is held
/// throughout, the writer's lock only while the journal is written.
struct KeyChange {
    let opened: OpenedGroup
    let directory: GroupDirectory
    let unlocker: KeyUnlocker
    let ownKeyFiles: OwnKeyFiles
    let store: any SlottedStore
    let time: WaitingTime
    let onStep: ((RekeyStep) -> StorageError?)?
    let progress: ProgressHandler?

    private var deadline: Deadline { time.deadline }

    // MARK: - New keys

    /// Replaces the keys, with new slots for every secret that is kept. The slot `removing` is dropped on purpose.
    func rekey(_ options: RekeyOptions, removing: SlotID? = nil) throws(StorageError) -> RekeyReport {
        let slots = try store.keySlots
        let old = try unlock(slots)
        let holder = try holder(slots, options.keeping)
        try removeStaleKeyFiles(holder, old.epoch)
        let all = try holder.held(asking: true)
        let kept = all.filter { $0.secret != nil && $0.slot.id != removing }
        let dropped = all.filter { $0.secret == nil && $0.slot.id != removing }
        guard dropped.isEmpty || options.dropsOtherSlots else {
            let ids = dropped.map { String($0.slot.id.description.prefix(8)) }.joined(separator: ", ")
            throw StorageError(.keyMissing, detail: "no key was given for the key slots \(ids)")
        }
        guard !kept.isEmpty else {
            throw StorageError(.keyMissing, detail: "no key was given for a key slot to be kept")
        }

        let new = try sealing(try old.nextEpoch())
        let oldOwn = all.compactMap(\.keyFile).filter(\.isOwn)
        let newOwn =
            kept.contains { $0.keyFile?.isOwn == true } ? ownKeyFiles.next(of: slots.uuid, epoch: new.epoch) : nil
        let newOwnSecret = try newOwn?.create()
        try reach(.keyFileMade)
        let replacements = try replacements(of: kept, in: slots.uuid)
        let newSlots = newSlots(kept, own: newOwnSecret, replacements)
        let newBlock: KeySlots
        do throws(StorageError) {
            newBlock = try sealing(try slots.rekeyed(from: old, to: new, slots: newSlots))
            // If this process is stopped before it updates the keyring, the next one that opens the group does so.
            if replacements.contains(where: { $0.secret.kind.secretPlace == .keyring }) {
                try? rollback.note(old, isPending: true, until: deadline)
            }
            try unlocker.staging(new) { () throws(StorageError) in
                try replace(from: old, to: new, slots: newBlock)
            }
        } catch {
            // If it is unknown whether the new keys are in effect, both key files and both keyring items must stay.
            if error.code != .indeterminate {
                try? newOwn?.remove()
                for slot in replacements {
                    try? unlocker.removeSecrets(of: slot.secret.kind, [slot.id].compactMap(\.self), until: deadline)
                }
            }
            throw error
        }
        // However long that took, the remaining steps get the full timeout.
        time.restart()
        try unlocker.remember(new)
        try reach(.keysReplaced)
        try noteProgress(new, newBlock)
        // If this folder is a copy, the original still needs them.
        if holder.ownsSecrets {
            for file in oldOwn { try file.remove() }
            // These secrets no longer open anything; if the keyring cannot be reached now, its items stay.
            for kind in SlotKind.allCases {
                let ids = all.map(\.slot).filter { $0.kind == kind }.map(\.id)
                try? unlocker.removeSecrets(of: kind, ids, until: deadline)
            }
        }
        try reach(.oldKeyFilesRemoved)
        let now = try self.holder(newBlock, options.keeping).held(asking: false)
        return RekeyReport(
            epoch: new.epoch,
            slots: now.map { SlotSummary($0) },
            droppedSlots: dropped.map { SlotSummary($0) },
            keptKeyFiles: holder.ownsSecrets ? [] : oldOwn.map(\.path)
        )
    }

    /// New slots in place of the kept ones whose secrets the library creates.
    private func replacements(of kept: [SlotHolder.Held], in group: GroupUUID) throws(StorageError) -> [NewSlot] {
        var replacements: [NewSlot] = []
        for kind in SlotKind.allCases where kept.contains(where: { $0.slot.kind == kind }) {
            let made = try unlocker.restarting(time) { () throws(StorageError) in
                try unlocker.makeReplacement(of: kind, in: group, until: deadline)
            }
            if let made { replacements.append(made) }
        }
        return replacements
    }

    private func newSlots(
        _ kept: [SlotHolder.Held],
        own: SlotSecret?,
        _ replacements: [NewSlot]
    ) -> [NewSlot] {
        var slots = replacements
        var hasOwn = false
        for held in kept where !replacements.contains(where: { $0.secret.kind == held.slot.kind }) {
            if held.keyFile?.isOwn == true {
                if !hasOwn, let own { slots.append(NewSlot(own)) }
                hasOwn = true
            } else if let secret = held.secret {
                slots.append(NewSlot(secret, parameters: unlocker.passphraseCost))
            }
        }
        return slots
    }

    private func replace(from old: GroupKeys, to new: GroupKeys, slots: KeySlots) throws(StorageError) {
        let oldSealer = try sealing(try RecordSealer(keys: old))
        let newSealer = try sealing(try RecordSealer(keys: new))
        let (store, deadline) = (store, deadline)
        // The lock is held while records are resealed, so the caller's handler runs on another thread.
        try CallbackRelay.run(progress: progress) { relay throws(StorageError) in
            try Self.replace(
                in: store,
                with: new,
                slots: slots,
                until: deadline,
                oldSealer: oldSealer,
                newSealer: newSealer,
                relay: relay
            )
        }
    }

    private static func replace(
        in store: any SlottedStore,
        with new: GroupKeys,
        slots: KeySlots,
        until deadline: Deadline,
        oldSealer: RecordSealer,
        newSealer: RecordSealer,
        relay: CallbackRelay
    ) throws(StorageError) {
        var meter = ProgressMeter({ relay.report($0) }, phase: .writing, totalBytes: nil)
        var (count, byteCount) = (0, 0)
        try store.replaceKeys(with: new, slots: slots, until: deadline) {
            (record, _, facts, secret) throws(StorageError) in
            count += 1
            byteCount += facts.byteCount + (secret?.byteCount ?? 0)
            try meter.note(completedBytes: byteCount, entryCount: count)
            return try sealing(try Self.resealed(record, facts: facts, secret: secret, from: oldSealer, to: newSealer))
        }
    }

    static func resealed(
        _ record: StoredRecord,
        facts: RawSpan,
        secret: RawSpan?,
        from old: RecordSealer,
        to new: RecordSealer
    ) throws(SealingError) -> (facts: [UInt8], secret: [UInt8]) {
        let tag = (record.tag.first, record.tag.second)
        let (kind, sequence) = (record.kind.rawValue, record.sequence)
        let plain = try old.openFacts(facts, tag: tag, kind: kind, sequence: sequence)
        let newFacts = try new.seal(plain.rawSpan, role: .facts, tag: tag, kind: kind, sequence: sequence)
        guard let secret else { return (newFacts, []) }
        let payload = try old.openSecret(secret, tag: tag, kind: kind, sequence: sequence)
        let newSecret = try new.seal(payload.bytes, role: .secret, tag: tag, kind: kind, sequence: sequence)
        return (newFacts, newSecret)
    }

    // MARK: - Slots

    /// Returns every slot, with what opens it as far as that is known without prompting.
    func slots() throws(StorageError) -> [SlotSummary] {
        try holder(store.keySlots, []).held(asking: false).map { SlotSummary($0) }
    }

    /// Adds a slot under the same keys.
    func add(_ material: KeyMaterial) throws(StorageError) -> SlotSummary {
        let slots = try store.keySlots
        let keys = try unlock(slots)
        if case .ownKeyFile = material {
            let holder = try holder(slots, [])
            try removeStaleKeyFiles(holder, keys.epoch)
            guard try !holder.held(asking: false).contains(where: { $0.keyFile?.isOwn == true }) else {
                throw StorageError(
                    .exists,
                    detail: "the group already has its own key file",
                    advice: "To replace it, remove its key slot first"
                )
            }
        }
        let made = try unlocker.makeSlot(for: material, besides: slots, within: time)
        var isInEffect = false
        do throws(StorageError) {
            let block = try sealing(try slots.adding(made.slot, keys: keys))
            try store.replaceKeys(with: keys, slots: block, until: deadline) {
                (_, _, _, _) throws(StorageError) in throw StorageError(.cancelled)
            }
            isInEffect = true
            defer { try? noteProgress(keys, block) }
            let given: [FileUnlocking] =
                if case .keyFile(let file) = material { [file.unlocking] } else { [] }
            let old = Set(slots.slots.map(\.id))
            let held = try holder(block, given).held(asking: false)
            guard let new = held.first(where: { !old.contains($0.slot.id) }) else { throw StorageError(.notFound) }
            return SlotSummary(new)
        } catch {
            if error.code != .indeterminate, !isInEffect { made.discard(until: deadline) }
            throw error
        }
    }

    /// Updates the anchor in the keyring if a slot there opens the group.
    private func noteProgress(_ keys: GroupKeys, _ block: KeySlots) throws(StorageError) {
        if block.haveSecret(in: .keyring) {
            _ = try? store.refresh(until: deadline)
            rollback.advance(keys, try store.newestSequence(until: deadline), until: deadline)
        }
    }

    private func unlock(_ slots: KeySlots) throws(StorageError) -> GroupKeys {
        try unlocker.restarting(time) { () throws(StorageError) in try unlocker.unlock(slots, until: deadline) }
    }

    private var rollback: RollbackGuard { RollbackGuard(directory: directory, unlocker: unlocker) }

    /// Removes the library's key files that no longer open anything, once the journal that made them obsolete is
    /// durable: the journal before it may need them.
    private func removeStaleKeyFiles(_ holder: SlotHolder, _ epoch: UInt32) throws(StorageError) {
        let files = try holder.staleKeyFiles(before: epoch)
        guard !files.isEmpty else { return }
        try directory.sync()
        for file in files {
            // The next change removes the rest.
            if deadline.hasPassed { return }
            try file.remove()
        }
    }

    private func holder(_ slots: KeySlots, _ given: [FileUnlocking]) throws(StorageError) -> SlotHolder {
        var materials = unlocker.materials
        for choice in given { materials += try KeyMaterial.all(in: choice) }
        let state = try directory.readState()
        return SlotHolder(
            slots: slots,
            ownKeyFiles: ownKeyFiles,
            unlocker: unlocker,
            materials: materials,
            ownsSecrets: unlocker.newestKeys.map { directory.hasOwnSecrets(of: $0, state) } ?? false,
            time: time
        )
    }

    private func reach(_ step: RekeyStep) throws(StorageError) {
        if let error = onStep?(step) { throw error }
    }
}
