internal import ByteOperations
internal import GroupRecords
internal import RecordStorage
internal import Sealing

/// The facts of one partition, opened as far as they are asked for: a list of accounts needs few of them.
struct AccountBoxes {
    private let contents: PartitionContents
    private let codec: RecordCodec
    private let sealer: RecordSealer
    /// Records that were asked for and cannot be read.
    private(set) var damaged: [RecordTag] = []

    init(_ contents: PartitionContents, codec: RecordCodec) throws(StorageError) {
        self.contents = contents
        self.codec = codec
        sealer = try codec.keyring.sealer(epoch: contents.reader.epoch)
    }

    /// Opens the facts of the records of some kinds. Those that cannot be read are noted and passed over.
    mutating func forEach(
        where isWanted: (RecordKind) -> Bool,
        _ body: (StoredRecord, [UInt8]) throws(StorageError) -> Void
    ) throws(StorageError) {
        for (record, box) in zip(contents.records, contents.facts) where isWanted(record.kind) {
            guard let box else {
                damaged.append(record.tag)
                continue
            }
            do throws(StorageError) {
                try body(record, try codec.openFactsBytes(box.rawSpan, of: record, with: sealer))
            } catch {
                guard error.code == .damaged || error.code == .unsupportedVersion else { throw error }
                damaged.append(record.tag)
            }
        }
    }
}
