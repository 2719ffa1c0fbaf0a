import RecordStorage
import Testing

@testable import TokenCaching

@Suite("Sealing on a thread of its own")
struct PipelinedOutputTests {
    private final class Batch: BatchWriter {
        func put(_ record: NewRecord) {}
        func remove(_ removal: Removal) {}
        func removeAll() {}
        func declareRemoval(of scope: RemovalScope) {}
    }

    @Test("lets go of the transaction before it says that it is done: what that has on the disk goes with it")
    func lettingGo() throws {
        let group = try TestGroup()
        let context = CommitContext(sequence: 1, epoch: 1, changes: .none)
        weak var batch: Batch?
        let pipeline: PipelinedOutput
        do {
            let made = Batch()
            batch = made
            let begun = try PipelinedOutput(DirectOutput(made, codec: group.codec, context: context))
            pipeline = try #require(begun)
        }
        #expect(batch != nil)
        pipeline.stop()
        #expect(batch == nil)
        withExtendedLifetime(pipeline) {}
    }
}
