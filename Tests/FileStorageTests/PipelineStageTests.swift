import RecordStorage
import Synchronization
import Testing

@testable import FileStorage

@Suite("A stage of a pipeline")
struct PipelineStageTests {
    private final class Seen: Sendable {
        let chunks = Mutex<[Int]>([])
    }

    /// A stage that notes chunks, and fails at one.
    private func stage(_ seen: Seen, failingAt bad: Int? = nil) -> PipelineStage<Int> {
        PipelineStage { chunk throws(StorageError) in
            if chunk == bad { throw StorageError(.full) }
            seen.chunks.withLock { $0.append(chunk) }
        }
    }

    @Test("works off all chunks in order", arguments: [0, 1, 2, 100])
    func order(count: Int) throws {
        let seen = Seen()
        let stage = stage(seen)
        for chunk in 0..<count { try stage.put(chunk) }
        try stage.finish(with: count)
        #expect(seen.chunks.withLock(\.self) == Array(0...count))
    }

    @Test("tells what a chunk met, and does nothing after it", arguments: [0, 1, 7, 50])
    func failure(bad: Int) {
        let seen = Seen()
        let stage = stage(seen, failingAt: bad)
        #expect(throws: StorageError(.full)) {
            for chunk in 0..<50 { try stage.put(chunk) }
            try stage.finish(with: 50)
        }
        #expect(seen.chunks.withLock(\.self) == Array(0..<bad))
    }

    @Test("is done with what it has before it goes away, when its owner gave up")
    func givingUp() throws {
        let seen = Seen()
        do {
            let stage = stage(seen)
            for chunk in 0..<5 { try stage.put(chunk) }
        }
        #expect(seen.chunks.withLock(\.self) == Array(0..<5))
    }
}
