// SPDX-License-Identifier: Apache-2.0

internal import GroupDirectory
internal import RecordStorage

/// Rewrites a journal without its dead bytes, while other processes keep reading and writing.
///
/// It copies boxes unchanged without the writer's lock. It takes the lock only to copy the frames appended in the
/// meantime, to overwrite in the copy the secrets that those frames removed, and to rename the file.
struct Compactor {
    let store: FileStore
    /// Polled periodically.
    let isCancelled: () -> Bool

    private var directory: GroupDirectory { store.directory }

    /// Frames are copied without the lock until a round copies no more than this many bytes.
    private static let largestRest: UInt64 = 256 << 10

    /// - Returns: false if the old journal was replaced or removed everything in the meantime, or a transaction in it
    ///   was undone; the old journal is then unchanged.
    func run(until deadline: () -> Deadline) throws(StorageError) -> Bool {
        guard let (position, overlay) = try store.absorb({ ($0.position, $0.overlay) }) else {
            throw KeyChain.replacedRepeatedly(in: directory)
        }
        guard try checkNewestVersions(in: overlay, at: position) else { return false }
        let header = position.generation.header.next(sequence: position.cursor.sequence)
        let builder = try SnapshotBuilder(in: directory, header: header, keys: position.generation.keys)
        let new = try builder.finish(over: (position.generation, overlay), isCancelled: isCancelled)
        let target = builder.temporary.file
        var carrier = FrameCopier(from: position, to: target, header: new.header, relocation: new.relocation)
        for _ in 0..<8 {
            let before = carrier.cursor.end
            guard try carrier.carry(in: directory) != nil else { return false }
            if isCancelled() { throw SnapshotBuilder.cancelled }
            if carrier.cursor.end - before <= Self.largestRest { break }
        }
        // The snapshot is already durable.
        if carrier.end != new.header.framesOffset { try target.syncNewFile() }
        let isSynced = carrier.cursor.end
        return try underLock(until: deadline()) { () throws(StorageError) in
            let now = try directory.identityWithoutTime(of: JournalFormat.fileName)
            guard let now, now.isSameFile(as: position.generation.file.identity) else { return false }
            guard let (rest, restByteCount) = try carrier.carry(in: directory) else { return false }
            if case .unusable(let error) = rest { throw error }
            if carrier.removesAll { return false }
            if isCancelled() { throw SnapshotBuilder.cancelled }
            if restByteCount > 0 {
                var isUnproven = false
                if case .unproven = rest { isUnproven = true }
                try keepTornTail(position, cursor: carrier.cursor, byteCount: restByteCount, isUnproven: isUnproven)
            }
            for location in carrier.erasedLocations {
                try target.overwrite(location.offset..<location.offset + UInt64(location.length))
            }
            let reserve = Preallocation(file: target, fileByteCount: try target.currentStatus().identity.size)
            try reserve.ensure(from: carrier.end, count: 0, mayUsePreallocation: true)
            if carrier.end != new.header.framesOffset {
                let sequence = carrier.cursor.sequence
                target.mark(sequence, endingAt: carrier.end, of: new.header.journal, keys: position.generation.keys)
            }
            if carrier.cursor.end != isSynced { try target.syncNewFile() }
            try store.install(
                builder.temporary,
                header: new.header,
                keys: position.generation.keys,
                cursor: TailReader.Cursor(end: carrier.end, sequence: carrier.cursor.sequence),
                over: nil,
                switchesToIt: false
            )
            // Erase here, because no later writer will: the copy has no such secrets and lists no pending erasures.
            let erasures = position.pendingErasures + carrier.erasures
            Erasing(generation: position.generation, end: carrier.cursor.end).completeInReplaced(erasures)
            return true
        }
    }

    /// Checks what the frames put. A compaction drops the versions that they replaced, so it must not run while a newer
    /// version is damaged.
    ///
    /// - Returns: false if the last transaction was undone in the meantime.
    /// - Throws: ``StorageError/Code/damaged``.
    private func checkNewestVersions(
        in overlay: Overlay,
        at position: JournalState.Position
    ) throws(StorageError) -> Bool {
        let file = position.generation.file
        let checker = BoxChecker(file: file, keys: position.generation.keys)
        for case .some(let record) in overlay.partitions.values.lazy.flatMap(\.records.values) {
            if isCancelled() { throw SnapshotBuilder.cancelled }
            if try checker.check(record.stored.facts, record.factsHash).outcome != .damaged,
                try checker.check(record.stored.secret, record.secretHash).outcome != .damaged
            {
                continue
            }
            guard try position.lastFrame?.isStillThere(in: file) ?? true else { return false }
            throw StorageError(
                .damaged,
                path: file.path,
                detail: "a saved record does not verify, and a compaction would remove its older versions",
                advice: "Save it again, or run cachetool repair"
            )
        }
        return true
    }

    /// Runs `body` under the writer's lock. The wait ends at the deadline, or soon after the compaction is cancelled.
    private func underLock(
        until deadline: Deadline,
        _ body: () throws(StorageError) -> Bool
    ) throws(StorageError) -> Bool {
        while true {
            let turn = min(deadline, .after(.milliseconds(100)))
            let lock: DirectoryLock
            do throws(StorageError) {
                lock = try directory.lock(.writer, until: turn)
            } catch {
                if isCancelled() { throw SnapshotBuilder.cancelled }
                guard error.code == .busy, !deadline.hasPassed else { throw error }
                continue
            }
            do throws(StorageError) {
                let result = try body()
                lock.release()
                return result
            } catch {
                lock.release()
                throw error
            }
        }
    }

    private func keepTornTail(
        _ position: JournalState.Position,
        cursor: TailReader.Cursor,
        byteCount: UInt64,
        isUnproven: Bool
    ) throws(StorageError) {
        var position = position
        position.cursor = cursor
        position.tornByteCount = byteCount
        position.isTailUnproven = isUnproven
        try Appender(directory: directory, position: position).keepTornTail()
    }
}
