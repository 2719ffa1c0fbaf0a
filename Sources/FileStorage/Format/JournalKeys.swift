// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupDirectory
internal import RecordStorage
internal import Sealing

/// The subkeys that the journal needs for one epoch, derived once. Thread-safe.
final class JournalKeys: Sendable {
    let group: GroupKeys
    /// Seals indexes and the heads of partition blocks.
    let index: SealingKey
    /// Seals the heads of frames.
    let frame: SealingKey
    private let header: SealingKey
    private let lead: SealingKey
    private let boxes: SealingKey

    var epoch: UInt32 { group.epoch }

    init(_ group: GroupKeys) throws(StorageError) {
        self.group = group
        do throws(SealingError) {
            index = try group.subkey(.storeIndex)
            frame = try group.subkey(.frame)
            header = try group.subkey(.header)
            lead = try group.subkey(.frameLead)
            boxes = try group.subkey(.frameBoxes)
        } catch {
            throw StorageError(error)
        }
    }

    /// The hash at the end of a header whose other bytes are `bytes`.
    func headerHash(_ bytes: RawSpan) throws(StorageError) -> [UInt8] {
        try sealing(try KeyedHash.hash256(bytes, key: header).bytes)
    }

    /// The hash of a group's name, for the header.
    func hash(of name: GroupName) throws(StorageError) -> [UInt8] {
        try sealing(try group.hash(ofName: name.text).bytes)
    }

    /// The hash at the end of a lead whose other bytes are `bytes`.
    func leadHash(_ bytes: RawSpan, journal: JournalID) throws(StorageError) -> BoxHash {
        var message: [UInt8] = []
        message.reserveCapacity(20 + bytes.byteCount)
        message.append(littleEndian: journal.first)
        message.append(littleEndian: journal.second)
        message.append(littleEndian: epoch)
        message.append(bytes)
        return try hash(message.rawSpan, key: lead)
    }

    /// The hash of a sealed box; ``BoxHash/none`` for an empty one.
    func boxHash(_ box: RawSpan) throws(StorageError) -> BoxHash {
        if box.byteCount == 0 { return .none }
        return try hash(box, key: boxes)
    }

    /// The hashes of both boxes of a record.
    func boxHashes(of record: NewRecord) throws(StorageError) -> (facts: BoxHash, secret: BoxHash) {
        (try boxHash(record.facts.rawSpan), try boxHash(record.secret.rawSpan))
    }

    private func hash(_ bytes: RawSpan, key: borrowing SealingKey) throws(StorageError) -> BoxHash {
        let words = try sealing(try KeyedHash.hash128(bytes, key: key))
        return BoxHash(first: words.0, second: words.1)
    }
}
