internal import RecordStorage
internal import Synchronization

/// Feeds a ``SnapshotBuilder`` from a thread of its own: while that one hashes and writes, the caller reads and seals the
/// next records. A few megabytes are under way at most.
final class SnapshotPipeline {
    private let worker: Worker
    private let thread: BackgroundThread?
    private var chunk: [JournalBatch.Item] = []
    private var chunkByteCount = 0
    private var isFinished = false

    private static let chunkByteCount = 1 << 20

    /// The other end.
    private final class Worker: @unchecked Sendable {
        // SAFETY: only the thread touches the builder until it has been joined.
        let builder: SnapshotBuilder
        let sequence: UInt64
        let handover = HandOver<[JournalBatch.Item]>(capacity: 2)
        let failure = Mutex<StorageError?>(nil)

        init(_ builder: SnapshotBuilder, sequence: UInt64) {
            self.builder = builder
            self.sequence = sequence
        }

        func run() {
            while let chunk = handover.take() { add(chunk) }
        }

        func add(_ chunk: [JournalBatch.Item]) {
            // After a failure the rest is taken and dropped, so that nobody waits for room.
            if failure.withLock({ $0 }) != nil { return }
            do throws(StorageError) {
                for item in chunk {
                    switch item {
                    case .put(let record): try builder.put(record, sequence: sequence)
                    case .remove(let removal): try builder.remove(removal)
                    }
                }
            } catch {
                failure.withLock { $0 = error }
            }
        }
    }

    /// Begins with a builder that nobody else uses. Without a thread the caller does all the work.
    init(_ builder: SnapshotBuilder, sequence: UInt64) {
        let worker = Worker(builder, sequence: sequence)
        self.worker = worker
        thread = BackgroundThread { worker.run() }
    }

    deinit {
        if !isFinished { join() }
    }

    /// Adds an operation.
    ///
    /// - Throws: what an earlier one met.
    func add(_ item: JournalBatch.Item) throws(StorageError) {
        chunk.append(item)
        if case .put(let record) = item { chunkByteCount += record.facts.count + record.secret.count }
        chunkByteCount += 100
        if chunkByteCount >= Self.chunkByteCount { try flush() }
    }

    /// Waits until all operations are in the builder, and gives it back.
    func finish() throws(StorageError) -> SnapshotBuilder {
        try flush()
        join()
        if let failure = worker.failure.withLock({ $0 }) { throw failure }
        return worker.builder
    }

    private func flush() throws(StorageError) {
        if let failure = worker.failure.withLock({ $0 }) { throw failure }
        var full: [JournalBatch.Item] = []
        swap(&full, &chunk)
        chunkByteCount = 0
        if thread == nil { worker.add(full) } else { _ = worker.handover.put(full) }
    }

    private func join() {
        isFinished = true
        worker.handover.close()
        thread?.join()
    }
}
