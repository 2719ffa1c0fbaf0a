internal import GroupDirectory
internal import RecordStorage

/// Writes a journal anew without what is dead in it, while others go on reading and writing.
///
/// Boxes are copied as they are, without the writer's lock. It is taken for the frames appended meanwhile, for
/// overwriting in the copy what was removed meanwhile, and for the change of name.
struct Compactor {
    let store: FileStore
    /// Asked now and then.
    let isCancelled: () -> Bool

    private var directory: GroupDirectory { store.directory }

    /// Frames of more than this are carried before the lock is taken.
    private static let largestRest: UInt64 = 256 << 10

    /// - Returns: false where another journal took the place of the old one meanwhile, or a transaction in it was taken back;
    ///   then nothing was changed.
    func run(until deadline: () -> Deadline) throws(StorageError) -> Bool {
        guard let (position, overlay) = try store.absorb({ ($0.position, $0.overlay) }) else {
            throw KeyChain.restless(directory)
        }
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
        // The snapshot is durable already.
        if carrier.end != new.header.framesOffset { try target.syncNewFile() }
        let isSynced = carrier.cursor.end
        return try underLock(until: deadline()) { () throws(StorageError) in
            let now = try directory.identityWithoutTime(of: JournalFormat.fileName)
            guard let now, now.isSameFile(as: position.generation.file.identity) else { return false }
            guard let (rest, restByteCount) = try carrier.carry(in: directory) else { return false }
            if case .damaged(let error) = rest { throw error }
            if carrier.removesAll { return false }
            if isCancelled() { throw SnapshotBuilder.cancelled }
            if restByteCount > 0 { try keepTornTail(position, cursor: carrier.cursor, byteCount: restByteCount) }
            let puncher = HolePuncher(file: target, end: carrier.end)
            try puncher.erase(puncher.ranges(of: carrier.erasedLocations))
            let reserve = Preallocation(file: target, fileByteCount: try target.currentStatus().identity.size)
            try reserve.ensure(from: carrier.end, count: 0, mayUsePreallocation: true)
            if carrier.cursor.end != isSynced { try target.syncNewFile() }
            try store.install(
                builder.temporary,
                header: new.header,
                keys: position.generation.keys,
                cursor: TailReader.Cursor(end: carrier.end, sequence: carrier.cursor.sequence),
                over: nil,
                goesOnWithIt: false
            )
            // Nobody else will: the copy has no such secrets, and knows of no erasure that is left to be done.
            let erasures = position.pendingErasures + carrier.erasures
            Erasing(generation: position.generation, end: carrier.cursor.end).completeInReplaced(erasures)
            return true
        }
    }

    /// Runs `body` under the writer's lock. The wait ends when the deadline passes, or soon after nobody wants a copy.
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
        byteCount: UInt64
    ) throws(StorageError) {
        var position = position
        position.cursor = cursor
        position.tornByteCount = byteCount
        try Appender(directory: directory, position: position).keepTornTail()
    }
}
