// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import RecordStorage
internal import Sealing

/// The content of a partition item: a fixed part, a sealed head with a row for each record, and the boxes as the engine
/// sealed them. The head authenticates the boxes and the fixed part.
struct PartitionItem: Sendable {
    let partition: PartitionTag
    let epoch: UInt32
    /// The transaction that wrote the item.
    let sequence: UInt64
    /// In ascending order of tag.
    let records: [KeyringRecord]

    private static let magic = Array("stckpart".utf8)
    private static let boxesMagic = Array("stckboxs".utf8)
    static let fixedByteCount = 64

    // MARK: - Writing

    /// The item as bytes.
    func encoded(_ keys: KeyringKeys) throws(StorageError) -> [UInt8] {
        var boxes: [UInt8] = Self.boxesMagic
        for record in records {
            boxes += record.facts
            boxes += record.secret
        }
        var head: [UInt8] = []
        head.append(littleEndian: UInt32(records.count))
        head += try keys.hash(boxes)
        for record in records { Self.append(record, to: &head) }
        var bytes = Self.magic
        bytes.append(littleEndian: KeyringFormat.major)
        bytes.append(littleEndian: KeyringFormat.minor)
        bytes.append(littleEndian: epoch)
        bytes += keys.group.uuid.bytes
        bytes.append(littleEndian: partition.first)
        bytes.append(littleEndian: partition.second)
        bytes.append(littleEndian: sequence)
        bytes.append(littleEndian: UInt32(head.count + AEAD.overhead))
        bytes.append(littleEndian: UInt32(boxes.count - Self.boxesMagic.count))
        bytes += try sealing(try AEAD.seal(head.rawSpan, key: keys.head, authenticating: bytes.rawSpan))
        bytes += boxes.dropFirst(Self.boxesMagic.count)
        return bytes
    }

    private static func append(_ record: KeyringRecord, to head: inout [UInt8]) {
        head.append(littleEndian: record.tag.first)
        head.append(littleEndian: record.tag.second)
        head.append(littleEndian: record.sequence)
        head.append(record.kind.rawValue)
        head.append(UInt8(record.searchTags.count))
        head.append(littleEndian: UInt16(0))
        head.append(littleEndian: UInt32(record.facts.count))
        head.append(littleEndian: UInt32(record.secret.count))
        for tag in record.searchTags { head.append(littleEndian: tag.rawValue) }
    }

    // MARK: - Reading

    /// The epoch of a sealed item; `nil` if it is not an item of this library.
    static func epoch(of bytes: [UInt8]) -> UInt32? {
        guard bytes.count >= fixedByteCount, bytes.starts(with: magic) else { return nil }
        var reader = FieldReader(bytes, from: 12)
        return try? reader.number(UInt32.self)
    }

    /// The group that a sealed item claims to belong to; `nil` if it is not an item of this library.
    static func group(of bytes: [UInt8]) -> GroupUUID? {
        guard bytes.count >= fixedByteCount, bytes.starts(with: magic) else { return nil }
        var reader = FieldReader(bytes, from: 16)
        return (try? reader.take(16)).flatMap(GroupUUID.init(bytes:))
    }

    /// Opens an item with the keys of its epoch.
    ///
    /// - Throws: ``StorageError/Code/damaged``, even if only its epoch is not known.
    init(_ bytes: [UInt8], _ chain: KeyringKeyChain) throws(StorageError) {
        guard let epoch = Self.epoch(of: bytes), let keys = chain.keys(of: epoch) else {
            throw StorageError(.damaged, detail: "an item with records of the group is sealed with other keys")
        }
        try self.init(bytes, keys)
    }

    private init(_ bytes: [UInt8], _ keys: KeyringKeys) throws(StorageError) {
        do throws(FieldReader.Malformed) {
            var reader = FieldReader(bytes)
            try reader.expect(Self.magic)
            let major: UInt16 = try reader.number()
            guard major == KeyringFormat.major else { throw FieldReader.Malformed() }
            try reader.skip(2)
            epoch = try reader.number()
            try reader.expect(keys.group.uuid.bytes)
            partition = PartitionTag(first: try reader.number(), second: try reader.number())
            sequence = try reader.number()
            let headByteCount = Int(try reader.number(UInt32.self))
            let boxesByteCount = Int(try reader.number(UInt32.self))
            guard epoch == keys.epoch, reader.left == headByteCount + boxesByteCount else {
                throw FieldReader.Malformed()
            }
            let box = try reader.take(headByteCount)
            let fixed = Array(bytes[..<Self.fixedByteCount])
            guard let head = try? AEAD.openPublic(box.rawSpan, key: keys.head, authenticating: fixed.rawSpan) else {
                throw FieldReader.Malformed()
            }
            records = try Self.records(head, boxes: try reader.take(boxesByteCount), keys: keys)
        } catch {
            throw StorageError(.damaged, detail: "an item with records of the group does not verify")
        }
    }

    private static func records(
        _ head: [UInt8],
        boxes: [UInt8],
        keys: KeyringKeys
    ) throws(FieldReader.Malformed) -> [KeyringRecord] {
        var rows = FieldReader(head)
        let count = Int(try rows.number(UInt32.self))
        let hash = try rows.take(16)
        guard let found = try? keys.hash(boxesMagic + boxes), found == hash else { throw FieldReader.Malformed() }
        var content = FieldReader(boxes)
        var records: [KeyringRecord] = []
        for _ in 0..<count {
            let tag = RecordTag(first: try rows.number(), second: try rows.number())
            let sequence: UInt64 = try rows.number()
            let kind = RecordKind(rawValue: try rows.number())
            let searchTagCount = Int(try rows.number(UInt8.self))
            try rows.skip(2)
            let factsByteCount = Int(try rows.number(UInt32.self))
            let secretByteCount = Int(try rows.number(UInt32.self))
            var searchTags: [SearchTag] = []
            for _ in 0..<searchTagCount { searchTags.append(SearchTag(rawValue: try rows.number())) }
            records.append(
                KeyringRecord(
                    tag: tag,
                    kind: kind,
                    sequence: sequence,
                    facts: try content.take(factsByteCount),
                    secret: try content.take(secretByteCount),
                    searchTags: searchTags
                )
            )
        }
        guard rows.isAtEnd, content.isAtEnd else { throw FieldReader.Malformed() }
        return records
    }

    init(partition: PartitionTag, epoch: UInt32, sequence: UInt64, records: [KeyringRecord]) {
        self.partition = partition
        self.epoch = epoch
        self.sequence = sequence
        self.records = records
    }
}
