// SPDX-License-Identifier: Apache-2.0

internal import GroupDirectory
package import RecordStorage
package import Sealing
internal import Synchronization

extension FileStore {
    /// Replaces the keys, or the key slots of the same keys. Always writes a new journal, which other processes switch
    /// to at their next lookup.
    ///
    /// With keys of a later epoch, `reseal` receives the boxes of every record and returns the new ones; with the same
    /// keys it is not called. The writer's lock is held throughout.
    ///
    /// - Throws: ``StorageError/Code/foreign`` if keys and slots do not belong to this group or are older,
    ///   ``StorageError/Code/busy`` if other processes may have written in the meantime, ``StorageError/Code/damaged``
    ///   if a box would be lost, and the errors of `reseal`. The old journal then stays in use.
    package func replaceKeys(
        with keys: GroupKeys,
        slots: KeySlots,
        until deadline: Deadline,
        reseal: Reseal
    ) throws(StorageError) {
        try replaceKeys(with: keys, slots: slots, makesNewGroup: false, until: deadline, reseal: reseal)
    }

    /// Whether the journal was made for a group of the folder's name. False if it does not say.
    package var isNamed: Bool {
        get throws(StorageError) {
            let generation = try withState { $0.generation }
            return try generation.header.isNamed(directory.name, keys: generation.keys) == true
        }
    }

    /// Makes this copy of a group a group of its own, which has `keys` and `slots`: another UUID, the same tag key, and a
    /// later epoch. Otherwise as ``replaceKeys(with:slots:until:reseal:)``.
    package func makeNewGroup(
        with keys: GroupKeys,
        slots: KeySlots,
        until deadline: Deadline,
        reseal: Reseal
    ) throws(StorageError) {
        try replaceKeys(with: keys, slots: slots, makesNewGroup: true, until: deadline, reseal: reseal)
    }

    private func replaceKeys(
        with keys: GroupKeys,
        slots: KeySlots,
        makesNewGroup: Bool,
        until deadline: Deadline,
        reseal: Reseal
    ) throws(StorageError) {
        if let readOnlyReason { throw readOnlyReason }
        let newKeys = try JournalKeys(keys)
        try keyChain.following(directory, until: deadline) { () throws(StorageError) -> Void? in
            try directory.withLock(.writer, until: deadline) { () throws(StorageError) -> Void? in
                try directory.confirm(.file)
                guard let (position, overlay) = try absorb({ ($0.position, $0.overlay) }) else { return nil }
                return try replaceKeys(
                    with: newKeys,
                    slots: slots,
                    makesNewGroup: makesNewGroup,
                    position: position,
                    overlay: overlay,
                    reseal: reseal
                )
            }
        }
    }

    /// Replaces keys and slots. The caller holds the writer's lock on the newest state.
    private func replaceKeys(
        with newKeys: JournalKeys,
        slots: KeySlots,
        makesNewGroup: Bool,
        position: JournalState.Position,
        overlay: Overlay,
        reseal: Reseal
    ) throws(StorageError) {
        try completeErasures()
        let keys = newKeys.group
        let generation = position.generation
        let isRekey = keys.epoch > generation.epoch
        guard makesNewGroup || keys.uuid == generation.header.group, slots.uuid == keys.uuid, slots.epoch == keys.epoch,
            isRekey || keys.isEqual(to: generation.keys.group)
        else { throw StorageError(.foreign, detail: "the new keys are not those of the next epoch") }
        var header = generation.header.next(sequence: position.cursor.sequence)
        header.keySlots = slots.encoded
        header.group = slots.uuid
        let builder = try SnapshotBuilder(in: directory, header: header, keys: newKeys)
        let new: JournalHeader
        if isRekey {
            new = try KeyReplacement(generation: generation, overlay: overlay, builder: builder).run(reseal)
        } else {
            new = try builder.finish(over: (generation, overlay)).header
        }
        try keepTornTail(of: position)
        keyChain.add(newKeys)
        try install(builder.temporary, header: new, keys: newKeys, over: position)
        core.withLock { $0.unreported = .everything }
        directory.removeStaleTemporaries()
        // Data sealed under the old keys must not stay on the disk.
        if isRekey { _ = try? directory.emptyQuarantine() }
        let end = position.cursor.end
        let all = JournalState.Erasure(sequence: position.cursor.sequence, locations: [], everythingBefore: end)
        Erasing(generation: generation, end: end).completeInReplaced(isRekey ? [all] : [])
    }

    /// Reads and verifies the whole journal without changing it. If it finds damage, it checks again under a shared
    /// lock that keeps writers out.
    ///
    /// - Parameters:
    ///   - deadline: for the lock of the second check.
    ///   - progress: receives the bytes read and the total; returns false to cancel the call.
    /// - Returns: the findings.
    /// - Throws: ``StorageError/Code/cancelled`` if `progress` returned false, ``StorageError/Code/unsupportedVersion``
    ///   and other errors that prevent reading the journal, except damage after its header.
    package func verify(
        until deadline: Deadline,
        progress: @escaping (UInt64, UInt64) -> Bool = { _, _ in true }
    ) throws(StorageError) -> JournalVerificationReport {
        try checkOpen()
        let verification = Verification(directory: directory, keyChain: keyChain, progress: progress)
        return try verification.run(until: deadline)
    }

    /// Statistics of the journal as of the last refresh or commit. Reads the partitions that frames changed.
    package var statistics: FileStatistics {
        get throws(StorageError) {
            let partitions = try recordCounts()
            let keySlotCount = try keySlots.slots.count
            let statistics = try withState { state in
                FileStatistics(
                    byteCount: state.end + state.tornByteCount,
                    allocatedByteCount: 0,
                    deadByteCount: state.deadByteCount,
                    frameCount: state.frameCount,
                    partitionCount: partitions.count,
                    recordCount: partitions.reduce(0) { $0 + $1.recordCount },
                    epoch: state.generation.epoch,
                    keySlotCount: keySlotCount,
                    sequence: state.sequence,
                    erasedThrough: state.erasedThrough,
                    isPageShared: false,
                    tornByteCount: state.tornByteCount
                )
            }
            var complete = statistics
            let file = core.withLock { $0.state.generation.file }
            complete.allocatedByteCount = try file.currentStatus().allocatedByteCount
            complete.isPageShared = directory.revision.isShared
            return complete
        }
    }
}
