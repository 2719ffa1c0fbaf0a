internal import RecordStorage
internal import Synchronization
internal import UnifiedSchema

/// Seals entries and puts them into the transaction on another thread, while the calling one goes on reading.
///
/// Sealing takes longer than reading. Where the other thread is behind, the caller seals too instead of waiting: so two
/// processors have work all the time, and they share it however much of it there is of either kind.
final class PipelinedOutput: EntryOutput {
    private static let chunkCount = 4

    private let work: Work
    /// For what the caller seals; nil once it has stopped.
    private var output: DirectOutput?
    private var chunk: EntryChunk?

    /// What both threads share.
    private final class Work: @unchecked Sendable {
        // SAFETY: the thread alone puts into the transaction, between its start and `done`, and the reference is its own;
        // the rest is safe.
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
        self.output = output
        for _ in 0..<Self.chunkCount { _ = work.free.put(try EntryChunk()) }
        guard DedicatedThread.startIfPossible({ [work] in work.run() }) else { return nil }
    }

    func put(_ facts: EntryFacts, payload: RawSpan, at address: RecordAddress?) throws(StorageError) {
        try append(.entry(facts, address), payload: payload)
    }

    func put(_ facts: [UInt8], kind: RecordKind, at address: RecordAddress) throws(StorageError) {
        try append(.own(facts, kind, address))
    }

    func remove(at address: RecordAddress) throws(StorageError) {
        try append(.removed(address))
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
        output = nil
    }

    private func append(_ content: EntryChunk.Content, payload: RawSpan = RawSpan()) throws(StorageError) {
        if let chunk, !chunk.hasRoom(for: payload) { try passOn() }
        if chunk == nil { chunk = work.free.take() }
        guard let chunk else {
            try checkFailure()
            throw StorageError(.abandoned)
        }
        try chunk.append(content, payload: payload)
    }

    private func passOn() throws(StorageError) {
        guard let chunk else { return }
        self.chunk = nil
        if work.free.isEmpty {
            do throws(StorageError) {
                try output?.seal(chunk)
            } catch {
                // What stands before it in the document may have failed as well.
                stop()
                try checkFailure()
                throw error
            }
        }
        if !work.full.put(chunk) { try checkFailure() }
    }

    private func checkFailure() throws(StorageError) {
        if let failure = work.failure.withLock({ $0 }) { throw failure }
    }
}
