internal import RecordStorage
internal import Sealing

/// The content of a key item: for one epoch, or for two while a group moves from one to the next, the 32 bytes that open
/// the key slots, and the slots. In secret memory.
final class KeyItem: Sendable {
    let group: GroupUUID
    let secret: SlotSecret
    let slots: KeySlots

    private static let magic = Array("stckkeys".utf8)
    private static let secretOffset = 32

    private init(group: GroupUUID, secret: SlotSecret, slots: KeySlots) {
        self.group = group
        self.secret = secret
        self.slots = slots
    }

    /// The keys, verified.
    func unlock() throws(StorageError) -> GroupKeys {
        do throws(SealingError) {
            return try slots.unlock(with: secret)
        } catch {
            throw StorageError(sealing: error)
        }
    }

    /// Makes up the secret of a new item, and the text to be kept in it.
    static func text(for keys: GroupKeys) throws(StorageError) -> SecretText {
        do throws(SealingError) {
            let secret = try SecretBytes.random(byteCount: 32)
            let slots = try KeySlots.create(for: keys, slots: [NewSlot(.keyring(secret.copy()))])
            var head = magic
            head.append(number: KeyringFormat.major)
            head.append(number: KeyringFormat.minor)
            head.append(number: UInt32(slots.encoded.count))
            head += keys.uuid.bytes
            let item = try SecretBytes(byteCount: head.count + 32 + slots.encoded.count) {
                output throws(SealingError) in
                for byte in head { unsafe output.append(byte, as: UInt8.self) }
                let bytes = secret.bytes
                for index in 0..<32 { unsafe output.append(bytes[byte: index], as: UInt8.self) }
                for byte in slots.encoded { unsafe output.append(byte, as: UInt8.self) }
            }
            return .secret(SecretText.SecretHolder(try Base64.encode(secret: item)))
        } catch {
            throw StorageError(sealing: error)
        }
    }

    /// Reads the text of an item.
    ///
    /// - Returns: `nil` where it is none of ours, or damaged.
    static func read(_ text: RawSpan) -> KeyItem? {
        guard let item = try? Base64.decode(secret: text), item.byteCount > secretOffset + 32 else { return nil }
        let bytes = item.bytes
        let head = (0..<secretOffset).map { bytes[byte: $0] }
        let rest = (secretOffset + 32..<bytes.byteCount).map { bytes[byte: $0] }
        var reader = FieldReader(head)
        guard (try? reader.expect(magic)) != nil, (try? reader.number(UInt16.self)) == KeyringFormat.major,
            (try? reader.skip(2)) != nil, (try? Int(reader.number(UInt32.self))) == rest.count,
            let group = (try? reader.take(16)).flatMap(GroupUUID.init(bytes:)),
            let slots = try? KeySlots(encoded: rest), slots.uuid == group
        else { return nil }
        guard
            let secret = try? SecretBytes(
                byteCount: 32,
                initializingWith: { output throws(SealingError) in
                    for index in 0..<32 { unsafe output.append(bytes[byte: secretOffset + index], as: UInt8.self) }
                }
            ), let opener = try? SlotSecret.keyring(secret)
        else { return nil }
        return KeyItem(group: group, secret: opener, slots: slots)
    }
}
