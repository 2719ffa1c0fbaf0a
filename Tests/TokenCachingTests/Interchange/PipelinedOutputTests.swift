import Glibc
import RecordStorage
import Sealing
import Testing
import UnifiedSchema

@testable import TokenCaching

@Suite("Sealing on a thread of its own")
struct PipelinedOutputTests {
    /// Keeps what it is given. A slow one takes its time with every hundredth record.
    private final class Batch: BatchWriter {
        var records: [NewRecord] = []
        var removals: [(tag: RecordTag, before: Int)] = []
        let isSlow: Bool

        init(isSlow: Bool = false) {
            self.isSlow = isSlow
        }

        func prepare(_ record: inout NewRecord) {
            record.boxHashes = (BoxHash(first: record.tag.first, second: 0), .none)
        }

        func put(_ record: NewRecord) {
            records.append(record)
            if isSlow, records.count % 100 == 0 { usleep(2000) }
        }

        func remove(_ removal: Removal) { removals.append((removal.tag, records.count)) }
        func removeAll() {}
        func declareRemoval(of scope: RemovalScope) {}
    }

    @Test("lets go of the transaction before it says that it is done: what that has on the disk goes with it")
    func lettingGo() throws {
        let group = try TestGroup()
        let context = CommitContext(sequence: 1, epoch: 1, changes: .none, deadline: .standard)
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

    @Test("keeps the order in which it is given things, whichever thread seals them", arguments: [false, true])
    func order(isSlow: Bool) throws {
        let group = try TestGroup()
        let context = CommitContext(sequence: 1, epoch: 1, changes: .none, deadline: .standard)
        let batch = Batch(isSlow: isSlow)
        let made = try PipelinedOutput(DirectOutput(batch, codec: group.codec, context: context))
        let pipeline = try #require(made)
        let json = Array(#"{"home_account_id":"U.t","environment":"e","username":"Ann"}"#.utf8)
        var expected: [RecordAddress] = []
        for number in 0..<4000 {
            let facts = try EntryParser.parse(json.rawSpan, section: "Account", key: UTF8Text("k\(number)")).facts
            let address = try group.codec.address(of: facts)
            switch number % 50 {
            case 0: try pipeline.remove(at: address)
            case 1: try pipeline.put([1, 2], kind: EngineRecordKind.signInState.recordKind, at: address)
            case 2: try pipeline.put(facts, payload: RawSpan(), at: address)
            default: try pipeline.put(facts, payload: RawSpan(), at: nil)
            }
            expected.append(address)
        }
        try pipeline.finish()
        let removed = expected.indices.filter { $0 % 50 == 0 }
        let put = expected.indices.filter { $0 % 50 != 0 }
        #expect(batch.removals.map(\.tag) == removed.map { expected[$0].tag })
        #expect(batch.removals.map(\.before) == removed.indices.map { $0 * 49 })
        #expect(batch.records.map(\.tag) == put.map { expected[$0].tag })
        #expect(batch.records.map(\.partition) == put.map { expected[$0].partition })
        #expect(batch.records.map(\.searchTags) == put.map { expected[$0].searchTags })
        #expect(batch.records.allSatisfy { $0.boxHashes?.facts.first == $0.tag.first })
    }

    @Test("long facts fill a piece of it, however few they are")
    func longFacts() throws {
        let note = String(repeating: "x", count: 300 << 10)
        let json = #"{"home_account_id":"U.t","environment":"e","username":"Ann","note":""# + note + #""}"#
        let facts = try EntryParser.parse(Array(json.utf8).rawSpan, section: "Account", key: "k").facts
        let chunk = try EntryChunk()
        for _ in 0..<3 {
            try chunk.append(.entry(facts, nil))
            let hasRoom = chunk.hasRoom(for: RawSpan())
            #expect(hasRoom)
        }
        try chunk.append(.entry(facts, nil))
        let isFull = !chunk.hasRoom(for: RawSpan())
        chunk.reset()
        let isEmpty = chunk.hasRoom(for: RawSpan())
        #expect(isFull && isEmpty)
    }

    @Test("tells the failure of a thread that seals")
    func failure() throws {
        let group = try TestGroup()
        // Nobody has the keys of this epoch.
        let context = CommitContext(sequence: 1, epoch: 7, changes: .none, deadline: .standard)
        let made = try PipelinedOutput(DirectOutput(Batch(), codec: group.codec, context: context))
        let pipeline = try #require(made)
        let facts = try EntryParser.parse(Array("{}".utf8).rawSpan, section: "Other", key: "k").facts
        let error = #expect(throws: StorageError.self) {
            for _ in 0..<4000 { try pipeline.put(facts, payload: RawSpan(), at: nil) }
            try pipeline.finish()
        }
        #expect(error?.code == .keyMissing)
        pipeline.stop()
    }

    @Test("seals every secret whole and apart, and one that is longer than a chunk", arguments: [false, true])
    func secrets(isSlow: Bool) throws {
        let group = try TestGroup()
        let context = CommitContext(sequence: 1, epoch: 1, changes: .none, deadline: .standard)
        let batch = Batch(isSlow: isSlow)
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
