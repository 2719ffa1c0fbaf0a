// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupDirectory
internal import RecordStorage
internal import Sealing

extension ItemList {
    /// The maximum size of a list. The maximum number of partitions with a hundred usernames each takes less.
    static let maximumByteCount: UInt64 = 4 << 20

    private static let magic = Array("stcitems".utf8)

    /// The encoded file.
    func encoded(_ keys: KeyringKeys) throws(StorageError) -> [UInt8] {
        var bytes = Self.magic
        bytes.append(littleEndian: KeyringFormat.major)
        bytes.append(littleEndian: KeyringFormat.minor)
        bytes.append(littleEndian: epoch)
        bytes += keys.group.uuid.bytes
        bytes += Self.boot
        bytes.append(littleEndian: sequence)
        bytes.append(littleEndian: pending?.sequence ?? 0)
        bytes.append(littleEndian: erasures.emptiedAt)
        bytes.append(littleEndian: erasures.forgottenThrough)
        bytes.append(littleEndian: UInt32(rows.count))
        bytes.append(littleEndian: UInt32(pending?.partitions.count ?? 0))
        bytes.append(littleEndian: UInt32(erasures.listed.count))
        for (tag, row) in rows {
            Self.append(tag, to: &bytes)
            bytes.append(littleEndian: row.sequence)
            bytes.append(littleEndian: row.recordCount)
            bytes.append(littleEndian: row.byteCount)
            bytes.append(littleEndian: UInt32(row.searchTags.count))
            for tag in row.searchTags { bytes.append(littleEndian: tag.rawValue) }
        }
        for tag in pending?.partitions ?? [] { Self.append(tag, to: &bytes) }
        for erasure in erasures.listed {
            Self.append(erasure.partition, to: &bytes)
            bytes.append(littleEndian: erasure.record.first)
            bytes.append(littleEndian: erasure.record.second)
            bytes.append(littleEndian: erasure.sequence)
        }
        return bytes + (try keys.hash(bytes))
    }

    private static func append(_ tag: PartitionTag, to bytes: inout [UInt8]) {
        bytes.append(littleEndian: tag.first)
        bytes.append(littleEndian: tag.second)
    }

    /// The current boot.
    private static var boot: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: BootID.current?.first ?? 0)
        bytes.append(littleEndian: BootID.current?.second ?? 0)
        return bytes
    }

    /// The result of reading a file.
    enum Reading {
        case list(ItemList)
        /// The list is from another boot, or older than an announced transaction, so it may lack the latest changes.
        case old(sequence: UInt64)
        /// The list claims a later epoch than any known keys.
        case newer
        /// The list does not verify under these keys.
        case invalid
    }

    static func read(_ bytes: [UInt8], _ chain: KeyringKeyChain) throws(StorageError) -> Reading {
        var start = FieldReader(bytes, from: min(12, bytes.count))
        guard let epoch = try? start.number(UInt32.self) else { return .invalid }
        guard let keys = chain.keys(of: epoch) else { return epoch > chain.newest.epoch ? .newer : .invalid }
        guard bytes.count > 16, try keys.hash(Array(bytes.dropLast(16))) == Array(bytes.suffix(16)) else {
            return .invalid
        }
        do throws(FieldReader.Malformed) {
            return try read(verified: Array(bytes.dropLast(16)), keys)
        } catch {
            return .invalid
        }
    }

    private static func read(verified bytes: [UInt8], _ keys: KeyringKeys) throws(FieldReader.Malformed) -> Reading {
        var reader = FieldReader(bytes)
        try reader.expect(magic)
        guard try reader.number(UInt16.self) == KeyringFormat.major else { throw FieldReader.Malformed() }
        try reader.skip(2)
        let epoch: UInt32 = try reader.number()
        try reader.expect(keys.group.uuid.bytes)
        let isOld = try reader.take(16) != boot
        var list = ItemList(epoch: epoch, sequence: try Self.sequence(from: &reader))
        let pendingSequence = try Self.sequence(from: &reader)
        if isOld { return .old(sequence: max(list.sequence, pendingSequence)) }
        let emptiedAt = try Self.sequence(from: &reader)
        let forgottenThrough = try Self.sequence(from: &reader)
        let rowCount: UInt32 = try reader.number()
        let pendingCount: UInt32 = try reader.number()
        let erasureCount: UInt32 = try reader.number()
        for _ in 0..<rowCount {
            let tag = PartitionTag(first: try reader.number(), second: try reader.number())
            let sequence = try Self.sequence(from: &reader)
            let recordCount: UInt32 = try reader.number()
            let byteCount: UInt32 = try reader.number()
            var searchTags: [SearchTag] = []
            for _ in 0..<(try reader.number(UInt32.self)) {
                searchTags.append(SearchTag(rawValue: try reader.number()))
            }
            list.rows[tag] = Row(
                sequence: sequence,
                recordCount: recordCount,
                byteCount: byteCount,
                searchTags: searchTags
            )
        }
        var touched = Set<PartitionTag>()
        for _ in 0..<pendingCount {
            touched.insert(PartitionTag(first: try reader.number(), second: try reader.number()))
        }
        if pendingSequence != 0 { list.pending = Pending(sequence: pendingSequence, partitions: touched) }
        var erased: [ErasureList.Erasure] = []
        for _ in 0..<erasureCount {
            erased.append(
                ErasureList.Erasure(
                    partition: PartitionTag(first: try reader.number(), second: try reader.number()),
                    record: RecordTag(first: try reader.number(), second: try reader.number()),
                    sequence: try Self.sequence(from: &reader)
                )
            )
        }
        list.erasures = ErasureList(emptiedAt: emptiedAt, forgottenThrough: forgottenThrough, listed: erased)
        guard reader.isAtEnd else { throw FieldReader.Malformed() }
        return .list(list)
    }

    /// Reads a transaction's sequence. Rejects sequences close to overflow.
    private static func sequence(from reader: inout FieldReader) throws(FieldReader.Malformed) -> UInt64 {
        let sequence: UInt64 = try reader.number()
        guard sequence < 1 << 62 else { throw FieldReader.Malformed() }
        return sequence
    }
}
