internal import RecordStorage
internal import Synchronization

/// One stage of a pipeline: works off chunks, in order, on a thread of its own, while its owner makes the next ones. A few
/// are under way at most.
final class PipelineStage<Chunk: Sendable> {
    private let work: Work
    private var thread: BackgroundThread?
    private var isFinished = false

    /// The other end.
    private final class Work: @unchecked Sendable {
        // SAFETY: once there is a thread, nobody but it runs the body until it has been joined.
        let body: (Chunk) throws(StorageError) -> Void
        let handover = HandOver<Chunk>(capacity: 3)
        let failure = Mutex<StorageError?>(nil)

        init(_ body: @escaping (Chunk) throws(StorageError) -> Void) {
            self.body = body
        }

        func run() {
            while let chunk = handover.take() { take(chunk) }
        }

        func take(_ chunk: Chunk) {
            // After a failure the rest is taken and dropped, so that nobody waits for room.
            if failure.withLock({ $0 }) != nil { return }
            do throws(StorageError) {
                try body(chunk)
            } catch {
                failure.withLock { $0 = error }
            }
        }
    }

    /// A stage that does `body` with each chunk. What that uses nobody else may, from the first ``put(_:)`` until
    /// ``finish(with:)`` returned.
    init(_ body: @escaping (Chunk) throws(StorageError) -> Void) {
        work = Work(body)
    }

    deinit {
        if !isFinished { join() }
    }

    /// Hands a chunk on, and waits where too many are under way. Where there is no thread the caller does the work.
    ///
    /// - Throws: what an earlier one met.
    func put(_ chunk: Chunk) throws(StorageError) {
        try checkFailure()
        if thread == nil { thread = BackgroundThread { [work] in work.run() } }
        if thread == nil { work.take(chunk) } else { _ = work.handover.put(chunk) }
    }

    /// Hands the last chunk on, and waits until all is done. A single chunk takes no thread.
    ///
    /// - Throws: what any of them met.
    func finish(with chunk: Chunk) throws(StorageError) {
        if thread == nil { work.take(chunk) } else { _ = work.handover.put(chunk) }
        join()
        try checkFailure()
    }

    private func checkFailure() throws(StorageError) {
        if let failure = work.failure.withLock({ $0 }) { throw failure }
    }

    private func join() {
        isFinished = true
        work.handover.close()
        thread?.join()
    }
}
