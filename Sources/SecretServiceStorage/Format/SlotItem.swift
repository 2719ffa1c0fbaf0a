// SPDX-License-Identifier: Apache-2.0

// SAFETY: single bytes are appended to an output span, which checks its capacity.

internal import ByteOperations
internal import RecordStorage
internal import Sealing

/// The content of an item that opens a key slot of the encrypted file, in secret memory: the group, the slot, and 32
/// bytes.
enum SlotItem {
    private static let magic = Array("stckslot".utf8)
    private static let secretOffset = 48
    private static let byteCount = 80

    /// The text of the item.
    static func text(
        _ secret: borrowing SecretBytes,
        slot: SlotID,
        group: GroupUUID
    ) throws(SealingError) -> SecretText {
        var head = magic
        head.append(littleEndian: KeyringFormat.major)
        head.append(littleEndian: KeyringFormat.minor)
        head.append(littleEndian: UInt32(0))
        head += group.bytes
        head += slot.bytes
        let item = try copy(head, secret.bytes)
        return .secret(SecretText.SecretHolder(try Base64.encode(secret: item)))
    }

    private static func copy(_ head: [UInt8], _ secret: RawSpan) throws(SealingError) -> SecretBytes {
        try SecretBytes(byteCount: byteCount) { output throws(SealingError) in
            for byte in head { unsafe output.append(byte, as: UInt8.self) }
            for index in 0..<32 { unsafe output.append(secret.uint8(at: index), as: UInt8.self) }
        }
    }

    /// The group of an item; `nil` if it is not an item of this library.
    static func group(of text: RawSpan) -> GroupUUID? {
        guard let item = try? Base64.decode(secret: text), item.byteCount == byteCount else { return nil }
        let bytes = item.bytes
        guard (0..<8).allSatisfy({ bytes.uint8(at: $0) == magic[$0] }) else { return nil }
        return GroupUUID(bytes: (16..<32).map { bytes.uint8(at: $0) })
    }

    /// The slot of an item; `nil` if it is not an item of this library.
    static func slot(of text: RawSpan) -> SlotID? {
        guard group(of: text) != nil, let item = try? Base64.decode(secret: text) else { return nil }
        let bytes = item.bytes
        return SlotID(bytes: (32..<48).map { bytes.uint8(at: $0) })
    }

    /// The secret in an item; `nil` if the item is damaged, for another slot, or not an item of this library.
    static func read(_ text: RawSpan, slot: SlotID, group: GroupUUID) -> SlotSecret? {
        guard let item = try? Base64.decode(secret: text), item.byteCount == byteCount else { return nil }
        let bytes = item.bytes
        var reader = FieldReader((0..<secretOffset).map { bytes.uint8(at: $0) })
        guard (try? reader.expect(magic)) != nil, (try? reader.number(UInt16.self)) == KeyringFormat.major,
            (try? reader.skip(6)) != nil, (try? reader.expect(group.bytes)) != nil,
            (try? reader.expect(slot.bytes)) != nil
        else { return nil }
        guard
            let secret = try? SecretBytes(
                byteCount: 32,
                initializingWith: { output throws(SealingError) in
                    for index in 0..<32 { unsafe output.append(bytes.uint8(at: secretOffset + index), as: UInt8.self) }
                }
            )
        else { return nil }
        return try? SlotSecret.keyring(secret)
    }
}
