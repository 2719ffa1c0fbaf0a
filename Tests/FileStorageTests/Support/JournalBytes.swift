import Sealing

/// A journal as bytes, taken apart and put together as the format document says, without the code under test.
struct JournalBytes {
    var bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    func u16(_ offset: Int) -> UInt16 { UInt16(number(offset, 2)) }
    func u32(_ offset: Int) -> UInt32 { UInt32(number(offset, 4)) }
    func u64(_ offset: Int) -> UInt64 { number(offset, 8) }

    private func number(_ offset: Int, _ count: Int) -> UInt64 {
        bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    mutating func put(_ value: UInt64, _ count: Int, at offset: Int) {
        for index in 0..<count { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> UInt64(8 * index)) }
    }

    var framesOffset: Int { Int(u64(88)) }

    /// Where the frames stand.
    var frames: [Range<Int>] {
        var found: [Range<Int>] = []
        var offset = framesOffset
        while offset + 48 <= bytes.count {
            let count = Int(u64(offset + 8))
            found.append(offset..<offset + count)
            offset += count
        }
        return found
    }

    /// The journal with these frames behind its snapshot.
    func withFrames(_ frames: [[UInt8]]) -> [UInt8] {
        Array(bytes[..<framesOffset]) + frames.flatMap(\.self)
    }

    /// Writes optional fields into the header and its copy, and hashes both anew.
    mutating func setFields(_ fields: [(type: UInt16, value: [UInt8])], minor: UInt16, keys: GroupKeys) throws {
        put(UInt64(minor), 2, at: 10)
        let slots = Int(u32(52))
        var encoded: [UInt8] = []
        for field in fields {
            encoded += [UInt8(field.type & 255), UInt8(field.type >> 8)]
            encoded += [UInt8(field.value.count & 255), UInt8(field.value.count >> 8)]
            encoded += field.value
        }
        put(UInt64(encoded.count), 4, at: 104)
        bytes.replaceSubrange(128 + slots..<128 + slots + encoded.count, with: encoded)
        try rehash(keys)
    }

    /// Sets the hash of the header and copies the header before the frames.
    mutating func rehash(_ keys: GroupKeys) throws {
        let message = Array(bytes[..<4064])
        let hash = try KeyedHash.hash256(message.rawBytes, key: keys.subkey(.header)).bytes
        bytes.replaceSubrange(4064..<4096, with: hash)
        bytes.replaceSubrange(framesOffset - 4096..<framesOffset, with: bytes[..<4096])
    }
}
