// SPDX-License-Identifier: Apache-2.0

// SAFETY: single bytes are appended to an output span, which checks its capacity.

internal import ByteOperations
internal import RecordStorage
internal import Sealing

/// The content of a key item, in secret memory: for one epoch, or two during a change of keys, the key slots and the 32
/// bytes that open them.
final class KeyItem: Sendable {
    let group: GroupUUID
    /// One part for each epoch, the older one first.
    private let parts: [Part]

    private struct Part: Sendable {
        let secret: SlotSecret
        let slots: KeySlots
    }

    private static let magic = Array("stckkeys".utf8)
    private static let headByteCount = 32
    private static let secretByteCount = 32

    private init(group: GroupUUID, parts: [Part]) {
        self.group = group
        self.parts = parts
    }

    /// The epochs whose keys it holds, in ascending order.
    var epochs: [UInt32] { parts.map(\.slots.epoch) }

    /// The keys of each epoch, verified.
    func unlock() throws(StorageError) -> [GroupKeys] {
        var all: [GroupKeys] = []
        do throws(SealingError) {
            for part in parts { all.append(try part.slots.unlock(with: part.secret)) }
        } catch {
            switch error.code {
            case .authenticationFailed, .keyRejected, .malformed, .unsupportedKDF:
                // Report a missing item, because neither a passphrase nor a repair can help.
                throw StorageError(
                    .keyringItemMissing,
                    detail: "the key of the group does not verify",
                    advice: "Restore the keyring, or start over with another name for the group"
                )
            default: throw StorageError(error)
            }
        }
        return all
    }

    // MARK: - Writing

    /// Generates the secrets of a new item and returns its text. The keys are in ascending order of epoch.
    static func text(for keys: [GroupKeys]) throws(StorageError) -> SecretText {
        do throws(SealingError) {
            var text = try SecretBytes(byteCount: 0) { _ throws(SealingError) in }
            for (index, keys) in keys.enumerated() {
                let secret = try SecretBytes.random(byteCount: secretByteCount)
                let slots = try KeySlots.create(for: keys, slots: [NewSlot(.keyring(secret.copy()))]).encoded
                var head: [UInt8] = []
                if index == 0 {
                    head += magic
                    head.append(littleEndian: KeyringFormat.major)
                    head.append(littleEndian: KeyringFormat.minor)
                }
                head.append(littleEndian: UInt32(slots.count))
                if index == 0 { head += keys.uuid.bytes }
                text = try text.appending(head, secret: secret, tail: slots)
            }
            return .secret(SecretText.SecretHolder(try Base64.encode(secret: text)))
        } catch {
            throw StorageError(error)
        }
    }

    // MARK: - Reading

    /// Decodes the text of an item.
    ///
    /// - Returns: `nil` if it is damaged or not an item of this library.
    static func read(_ text: RawSpan) -> KeyItem? {
        guard let item = try? Base64.decode(secret: text), item.byteCount > headByteCount else { return nil }
        let bytes = item.bytes
        var reader = FieldReader((0..<headByteCount).map { bytes.uint8(at: $0) })
        guard (try? reader.expect(magic)) != nil, (try? reader.number(UInt16.self)) == KeyringFormat.major,
            (try? reader.skip(2)) != nil, let first = try? Int(reader.number(UInt32.self)),
            let group = (try? reader.take(16)).flatMap(GroupUUID.init(bytes:))
        else { return nil }
        var parts: [Part] = []
        var (offset, count) = (headByteCount, first)
        while true {
            guard let part = part(bytes, at: offset, slotsByteCount: count), part.slots.uuid == group,
                part.slots.epoch > parts.last?.slots.epoch ?? 0
            else { return nil }
            parts.append(part)
            offset += secretByteCount + count
            if offset == bytes.byteCount { return KeyItem(group: group, parts: parts) }
            guard parts.count == 1, bytes.byteCount - offset > 4 else { return nil }
            var reader = FieldReader((offset..<offset + 4).map { bytes.uint8(at: $0) })
            count = (try? Int(reader.number(UInt32.self))) ?? 0
            offset += 4
        }
    }

    private static func part(_ bytes: RawSpan, at offset: Int, slotsByteCount count: Int) -> Part? {
        let start = offset + secretByteCount
        guard count > 0, count <= KeySlots.maximumByteCount, bytes.byteCount - start >= count,
            let slots = try? KeySlots(encoded: (start..<start + count).map { bytes.uint8(at: $0) })
        else { return nil }
        guard
            let secret = try? SecretBytes(
                byteCount: secretByteCount,
                initializingWith: { output throws(SealingError) in
                    for index in 0..<secretByteCount {
                        unsafe output.append(bytes.uint8(at: offset + index), as: UInt8.self)
                    }
                }
            ), let opener = try? SlotSecret.keyring(secret)
        else { return nil }
        return Part(secret: opener, slots: slots)
    }
}

extension SecretBytes {
    /// A copy with bytes appended.
    fileprivate borrowing func appending(
        _ head: [UInt8],
        secret: borrowing SecretBytes,
        tail: [UInt8]
    ) throws(SealingError) -> SecretBytes {
        let count = byteCount + head.count + secret.byteCount + tail.count
        let (before, between) = (bytes, secret.bytes)
        return try SecretBytes(byteCount: count) { output throws(SealingError) in
            for index in 0..<before.byteCount { unsafe output.append(before.uint8(at: index), as: UInt8.self) }
            for byte in head { unsafe output.append(byte, as: UInt8.self) }
            for index in 0..<between.byteCount { unsafe output.append(between.uint8(at: index), as: UInt8.self) }
            for byte in tail { unsafe output.append(byte, as: UInt8.self) }
        }
    }
}
