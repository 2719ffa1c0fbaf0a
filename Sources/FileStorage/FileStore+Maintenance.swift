internal import GroupDirectory
package import RecordStorage
package import Sealing
internal import Synchronization

extension FileStore {
    /// Puts other keys, or other key slots under the same keys, in force. This always writes a new journal; other
    /// processes follow at their next lookup.
    ///
    /// Keys of a later epoch: every record is sealed anew by `reseal`, which is given its boxes and hands back the new
    /// ones. The same keys: nothing is sealed anew and `reseal` is not called. The writer's lock is held all the while.
    ///
    /// - Throws: ``StorageError/Code/foreign`` where keys and slots do not belong to this group or are older,
    ///   ``StorageError/Code/busy`` where others may have written meanwhile, ``StorageError/Code/damaged`` where a box would be lost, and what `reseal` throws. The old journal is then
    ///   still in force.
    package func replaceKeys(
        with keys: GroupKeys,
        slots: KeySlots,
        until deadline: Deadline,
        reseal: (
            StoredRecord, PartitionTag, _ facts: RawSpan, _ secret: RawSpan?
        ) throws(StorageError) -> (facts: [UInt8], secret: [UInt8])
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
                    position: position,
                    overlay: overlay,
                    reseal: reseal
                )
            }
        }
    }

    /// Puts keys and slots in force. The caller holds the writer's lock, and the state is the newest.
    private func replaceKeys(
        with newKeys: JournalKeys,
        slots: KeySlots,
        position: JournalState.Position,
        overlay: Overlay,
        reseal: KeyReplacement.Reseal
    ) throws(StorageError) {
        try completeErasures()
        let keys = newKeys.group
        let generation = position.generation
        let isRekey = keys.epoch > generation.epoch
        guard keys.uuid == generation.header.group, slots.uuid == keys.uuid, slots.epoch == keys.epoch,
            isRekey || keys.isEqual(to: generation.keys.group)
        else { throw StorageError(.foreign, detail: "the new keys do not follow on the ones in force") }
        var header = generation.header.next(sequence: position.cursor.sequence)
        header.keySlots = slots.encoded
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
        guard isRekey else { return }
        // What was sealed under the old keys is to go, also from the disk.
        _ = try? directory.emptyQuarantine()
        let end = position.cursor.end
        let all = JournalState.Erasure(sequence: position.cursor.sequence, locations: [], everythingBefore: end)
        Erasing(generation: generation, end: end).completeInReplaced([all])
    }

    /// Reads the whole journal and compares every part with what vouches for it. Changes nothing. Where it finds damage
    /// it looks once more while nobody writes.
    ///
    /// - Parameters:
    ///   - deadline: for the lock of the second look.
    ///   - progress: is told how many bytes of how many were read; false ends the call.
    /// - Returns: what was found.
    /// - Throws: ``StorageError/Code/abandoned`` where `progress` ended it, ``StorageError/Code/unsupportedVersion`` and
    ///   what else keeps a journal from being read, other than damage behind its header.
    package func verify(
        until deadline: Deadline,
        progress: @escaping (UInt64, UInt64) -> Bool = { _, _ in true }
    ) throws(StorageError) -> VerificationReport {
        try checkOpen()
        let verification = Verification(directory: directory, keyChain: keyChain, progress: progress)
        return try verification.run(until: deadline)
    }

    /// Figures of the journal as of the last refresh or commit. Reads the partitions that frames touched.
    package var statistics: FileStatistics {
        get throws(StorageError) {
            let partitions = try recordCounts()
            let keySlotCount = try keySlots.slots.count
            let statistics = try withState { state in
                FileStatistics(
                    byteCount: state.end + state.tornByteCount,
                    allocatedByteCount: 0,
                    deadByteCount: state.deadByteCount,
                    snapshotByteCount: state.generation.header.framesOffset,
                    indexMemoryByteCount: state.generation.index.byteCount,
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
