import RecordStorage
import Sealing
import Testing
import UnifiedSchema

@testable import TokenCaching

@Suite("Sealing on a thread of its own")
struct PipelinedOutputTests {
    /// Keeps what it is given.
    private final class Batch: BatchWriter {
        var records: [NewRecord] = []
        func put(_ record: NewRecord) { records.append(record) }
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

    @Test("seals every secret whole and apart, and one that is longer than a chunk")
    func secrets() throws {
        let group = try TestGroup()
        let context = CommitContext(sequence: 1, epoch: 1, changes: .none)
        let batch = Batch()
        let made = try PipelinedOutput(DirectOutput(batch, codec: group.codec, context: context))
        let pipeline = try #require(made)
        let lengths = [1, 255, 256, 257, 300_000, 4, 0] + (0..<400).map { 700 + $0 }
        let payloads = lengths.enumerated().map { number, length in
            [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: length)
        }
        let facts = try EntryParser.parse(Array("{}".utf8).rawSpan, section: "Other", key: "k").facts
        let kind = RecordCodec.kind(facts.kind)
        for (number, payload) in payloads.enumerated() {
            let tag = RecordTag(first: UInt64(number), second: 0)
            let address = RecordAddress(tag: tag, partition: PartitionTag(first: 1, second: 1), searchTags: [])
            try pipeline.put(facts, payload: payload.rawSpan, at: address)
        }
        try pipeline.finish()
        try #require(batch.records.count == payloads.count)
        let sealer = try group.codec.keyring.sealer(epoch: 1)
        for (record, payload) in zip(batch.records, payloads) {
            let tag = (record.tag.first, record.tag.second)
            let opened = try sealer.openFacts(record.facts.rawSpan, tag: tag, kind: kind.rawValue, sequence: 1)
            #expect(opened == facts.encoded())
            guard !payload.isEmpty else {
                #expect(record.secret.isEmpty)
                continue
            }
            let secret = try sealer.openSecret(record.secret.rawSpan, tag: tag, kind: kind.rawValue, sequence: 1)
            let isSame = secret.bytes.isEqual(to: payload.rawSpan)
            #expect(isSame)
        }
    }
}
