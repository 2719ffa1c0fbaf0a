// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import GroupRecords
import RecordStorage
import Sealing
import Testing
import UnifiedSchema

@Suite("Reading the records of a partition")
struct PartitionReaderTests {
    let codec: RecordCodec
    let store = MemoryStore(MemoryBacking(epoch: 1))
    let partition = PartitionTag(first: 1, second: 2)

    init() throws { codec = RecordCodec(unlockedKeys: try UnlockedKeys(try GroupKeys.generate())) }

    /// A partition of one record that holds these facts, changed in the store by `change`.
    private func reader(
        _ facts: [UInt8],
        kind: RecordKind = InternalRecordKind.signInState.recordKind,
        _ change: (inout [UInt8]?) -> Void = { _ in }
    ) throws -> PartitionReader {
        let address = RecordAddress(tag: RecordTag(first: 3, second: 4), partition: partition, searchTags: [])
        try store.commit(until: .standard) { (context, batch) throws(StorageError) in
            try batch.put(codec.seal(facts: facts.rawSpan, secret: RawSpan(), kind: kind, at: address, in: context))
        }
        let contents = try store.contents(of: partition, until: .standard)
        var box = contents.facts[0]
        change(&box)
        let changed = PartitionContents(records: contents.records, facts: [box], reader: contents.reader)
        return try PartitionReader(changed, codec: codec)
    }

    private let state = SignInRecord(clientID: "client", account: "u.t").changed(to: .signedOut, at: 1)

    private func fault<Content>(_ reading: RecordReading<Content>) -> RecordFault? {
        if case .unreadable(let fault) = reading { fault } else { nil }
    }

    @Test("a readable record equals the sealed one")
    func sound() throws {
        #expect(try reader(state.encoded()).signInState(0).content == state)
    }

    @Test("a record without a box is missing its facts")
    func missing() throws {
        #expect(try fault(reader(state.encoded()) { $0 = nil }.signInState(0)) == .missing)
    }

    @Test("a box with a bit flipped is damaged", arguments: [0, 40, -1])
    func flippedBit(index: Int) throws {
        let reader = try reader(state.encoded()) { box in
            let position = index < 0 ? (box?.count ?? 0) + index : index
            box?[position] ^= 1
        }
        #expect(try fault(reader.signInState(0)) == .damaged)
    }

    @Test("facts in an unknown form are damaged, although they were sealed", arguments: [[], [1, 1], [1, 1, 9, 0]])
    func malformed(facts: [UInt8]) throws {
        #expect(try fault(reader(facts).signInState(0)) == .damaged)
        #expect(try fault(reader(facts, kind: RecordCodec.kind(.accessToken)).facts(0)) == .damaged)
    }

    @Test("facts of a newer version are not damage")
    func newerVersion() throws {
        #expect(try fault(reader([9, 1, 2, 3, 4]).signInState(0)) == .newerVersion)
        #expect(try fault(reader([9, 1, 2, 3, 4], kind: RecordCodec.kind(.account)).facts(0)) == .newerVersion)
    }

    @Test(
        "what is not about the record is thrown",
        arguments: [.keyMissing, .forkedProcess, .timeout, .system, .tokenGone] as [StorageError.Code]
    )
    func thrown(code: StorageError.Code) throws {
        let reader = try reader(state.encoded())
        let error = #expect(throws: StorageError.self) {
            try reader.read(0) { (_) throws(StorageError) in throw StorageError(code) }
        }
        #expect(error?.code == code)
    }

    @Test("a partition whose key was never unlocked is not opened")
    func unknownEpoch() throws {
        let contents = try reader(state.encoded()).contents
        let stranger = RecordCodec(unlockedKeys: UnlockedKeys())
        let error = #expect(throws: StorageError.self) { try PartitionReader(contents, codec: stranger) }
        #expect(error?.code == .keyMissing)
    }

    @Test(
        "facts that are fetched one by one are missing where the store cannot hand them over",
        arguments: [.damaged, .tokenGone] as [StorageError.Code]
    )
    func fetched(code: StorageError.Code) throws {
        let record = try reader([1, 2]).records[0]
        #expect(try fault(codec.facts(of: record, from: FailingReader(error: StorageError(code)))) == .missing)
    }

    @Test("where the store does not answer, fetching facts one by one says so")
    func notFetched() throws {
        let record = try reader([1, 2]).records[0]
        let error = #expect(throws: StorageError.self) {
            try codec.facts(of: record, from: FailingReader(error: StorageError(.timeout)))
        }
        #expect(error?.code == .timeout)
    }

    /// A reader that has nothing to give.
    private final class FailingReader: BoxReader {
        let error: StorageError
        let epoch: UInt32 = 1

        init(error: StorageError) { self.error = error }

        func withBox<Result>(
            at location: BoxLocation,
            _ body: (RawSpan) throws(StorageError) -> Result
        ) throws(StorageError) -> Result { throw error }
    }
}
