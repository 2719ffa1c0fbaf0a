internal import RecordStorage

/// Feeds a ``SnapshotBuilder`` from a thread of its own: while that one hashes and writes, the caller reads and seals the
/// next records. About a megabyte is under way.
final class SnapshotPipeline {
    private let builder: SnapshotBuilder
    private let stage: PipelineStage<[JournalBatch.Item]>
    private var chunk: [JournalBatch.Item] = []
    private var chunkByteCount = 0

    /// Small enough to be in the processor's cache still when it is hashed.
    private static let chunkByteCount = 256 << 10

    /// Begins with a builder that nobody else uses.
    init(_ builder: SnapshotBuilder, sequence: UInt64) {
        self.builder = builder
        stage = PipelineStage { chunk throws(StorageError) in
            for item in chunk {
                switch item {
                case .put(let record): try builder.put(record, sequence: sequence)
                case .remove(let removal): try builder.remove(removal)
                }
            }
        }
    }

    /// Adds an operation.
    ///
    /// - Throws: what an earlier one met.
    func add(_ item: JournalBatch.Item) throws(StorageError) {
        chunk.append(item)
        if case .put(let record) = item { chunkByteCount += record.facts.count + record.secret.count }
        chunkByteCount += 100
        if chunkByteCount >= Self.chunkByteCount { try stage.put(takeChunk()) }
    }

    /// Waits until all operations are in the builder, and gives it back.
    func finish() throws(StorageError) -> SnapshotBuilder {
        try stage.finish(with: takeChunk())
        return builder
    }

    private func takeChunk() -> [JournalBatch.Item] {
        var full: [JournalBatch.Item] = []
        swap(&full, &chunk)
        chunkByteCount = 0
        return full
    }
}
