internal import RecordStorage
internal import Synchronization
internal import UnifiedSchema

/// Seals entries and puts them into the transaction on another thread, while the calling one goes on reading.
///
/// Reading and sealing a large document take about the same time; this way they take it together.
final class PipelinedOutput: EntryOutput {
    private static let chunkCount = 4

    private let work: Work
    private var chunk: EntryChunk?

    /// What both threads share.
    private final class Work: @unchecked Sendable {
        // SAFETY: the transaction is used by the sealing thread only, between its start and `done`; the rest is safe.
        private var output: DirectOutput?
        let full = HandOver<EntryChunk>(capacity: PipelinedOutput.chunkCount)
        let free = HandOver<EntryChunk>(capacity: PipelinedOutput.chunkCount)
        let done = HandOver<Bool>(capacity: 1)
        let failure = Mutex<StorageError?>(nil)

        init(_ output: DirectOutput) {
            self.output = output
        }

        func run() {
            while let chunk = full.take() {
                do throws(StorageError) {
                    try output?.put(chunk)
                } catch {
                    failure.withLock { $0 = error }
                    full.close()
                    free.close()
                    break
                }
                chunk.reset()
                _ = free.put(chunk)
            }
            // Whoever waits gives the transaction up next, and what that has on the disk goes with the last reference.
            output = nil
            _ = done.put(true)
        }
    }

    /// - Returns: nil where there is no thread to be had.
    init?(_ output: DirectOutput) throws(StorageError) {
        work = Work(output)
        for _ in 0..<Self.chunkCount { _ = work.free.put(try EntryChunk()) }
        guard DedicatedThread.startIfPossible({ [work] in work.run() }) else { return nil }
    }

    func put(_ facts: EntryFacts, payload: RawSpan, at address: RecordAddress) throws(StorageError) {
        try append(.entry(facts), payload: payload, at: address)
    }

    func put(_ facts: [UInt8], kind: RecordKind, at address: RecordAddress) throws(StorageError) {
        try append(.own(facts, kind), payload: RawSpan(), at: address)
    }

    func remove(at address: RecordAddress) throws(StorageError) {
        try append(.removed, payload: RawSpan(), at: address)
    }

    func finish() throws(StorageError) {
        try passOn()
        stop()
        try checkFailure()
    }

    /// Waits until the other thread is done with what it has. The transaction may not be left before.
    func stop() {
        work.full.close()
        work.free.close()
        _ = work.done.take()
        work.done.close()
    }

    private func append(_ facts: EntryChunk.Facts, payload: RawSpan, at address: RecordAddress) throws(StorageError) {
        if let chunk, !chunk.hasRoom(for: payload) { try passOn() }
        if chunk == nil { chunk = work.free.take() }
        guard let chunk else {
            try checkFailure()
            throw StorageError(.abandoned)
        }
        try chunk.append(facts, payload: payload, at: address)
    }

    private func passOn() throws(StorageError) {
        guard let chunk else { return }
        self.chunk = nil
        if !work.full.put(chunk) { try checkFailure() }
    }

    private func checkFailure() throws(StorageError) {
        if let failure = work.failure.withLock({ $0 }) { throw failure }
    }
}
