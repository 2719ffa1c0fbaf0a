// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import RecordStorage
internal import Sealing

/// The content of an anchor: the sequence of a transaction. In a group in the keyring it is written whenever an item is
/// removed, so that sequences continue even if no item is left.
enum AnchorItem {
    private static let magic = Array("stckanch".utf8)

    static func encode(sequence: UInt64, _ keys: KeyringKeys) throws(StorageError) -> [UInt8] {
        var bytes = magic
        bytes.append(littleEndian: KeyringFormat.major)
        bytes.append(littleEndian: KeyringFormat.minor)
        bytes.append(littleEndian: keys.epoch)
        bytes += keys.group.uuid.bytes
        bytes.append(littleEndian: sequence)
        return bytes + (try keys.hash(bytes))
    }

    /// The content of an item without verifying it; `nil` if it does not belong to this group.
    static func unverified(_ bytes: [UInt8], of group: GroupUUID) -> RollbackAnchor? {
        guard bytes.count == 56, bytes.starts(with: magic) else { return nil }
        var reader = FieldReader(bytes, from: 12)
        guard let epoch = try? reader.number(UInt32.self), (try? reader.expect(group.bytes)) != nil,
            let sequence = try? reader.number(UInt64.self)
        else { return nil }
        return RollbackAnchor(epoch: epoch, sequence: sequence)
    }

    /// The sequence; `nil` if the item does not verify.
    static func sequence(_ bytes: [UInt8], _ chain: KeyringKeyChain) throws(StorageError) -> UInt64? {
        guard bytes.count == 56, bytes.starts(with: magic) else { return nil }
        var start = FieldReader(bytes, from: 12)
        guard let epoch = try? start.number(UInt32.self), let keys = chain.keys(of: epoch) else { return nil }
        guard try keys.hash(Array(bytes[..<40])) == Array(bytes[40...]) else { return nil }
        var reader = FieldReader(bytes, from: 12)
        guard (try? reader.number(UInt32.self)) == keys.epoch, (try? reader.expect(keys.group.uuid.bytes)) != nil
        else { return nil }
        return try? reader.number(UInt64.self)
    }
}
