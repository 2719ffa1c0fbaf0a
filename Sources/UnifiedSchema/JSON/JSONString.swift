// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// Converts the content of JSON strings, without the quotes, to text and back.
enum JSONString {
    /// The value of a hexadecimal digit.
    @inline(__always)
    static func hexDigit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case 0x30...0x39: UInt32(byte - 0x30)
        case 0x41...0x46: UInt32(byte - 0x37)
        case 0x61...0x66: UInt32(byte - 0x57)
        default: nil
        }
    }

    /// The bytes of `content` with escapes resolved, for comparing names: a lone surrogate is preserved. Not for
    /// secrets, because the array is ordinary memory.
    static func identity(of content: RawSpan, hasEscapes: Bool) -> [UInt8] {
        guard hasEscapes else { return content.copied() }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(content.byteCount)
        var unescaper = JSONUnescaper(.kept)
        while let byte = unescaper.next(of: content) { bytes.append(byte) }
        return bytes
    }

    /// The text of `content`; nil if it contains a lone surrogate. Not for secrets.
    static func text(of content: RawSpan, hasEscapes: Bool) -> UTF8Text? {
        guard hasEscapes else { return UTF8Text(utf8: content) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(content.byteCount)
        var unescaper = JSONUnescaper(.refused)
        while let byte = unescaper.next(of: content) { bytes.append(byte) }
        return unescaper.failed ? nil : UTF8Text(utf8: bytes.rawSpan)
    }

    /// The number of bytes of `byte` inside a string: 1, 2 with a backslash, or 6.
    @inline(__always)
    static func escapedByteCount(_ byte: UInt8) -> Int {
        if byte == ASCII.quote || byte == ASCII.backslash { return 2 }
        return byte < 0x20 ? 6 : 1
    }

    /// Byte number `index` of the escaped form of `byte`; `index` is less than its length.
    static func escaped(_ byte: UInt8, _ index: Int) -> UInt8 {
        switch (escapedByteCount(byte), index) {
        case (1, _): byte
        case (_, 0): ASCII.backslash
        case (2, _): byte
        case (_, 1): UInt8(ascii: "u")
        case (_, 2), (_, 3): ASCII.zero
        case (_, 4): ASCII.zero + byte >> 4
        default: byte & 15 < 10 ? ASCII.zero + byte & 15 : UInt8(ascii: "a") + (byte & 15) - 10
        }
    }

    /// Appends `text` as the content of a string, escaping only what must be. Not for secrets.
    static func appendEscaped(_ text: RawSpan, to output: inout [UInt8]) {
        for offset in 0..<text.byteCount {
            let byte = text.byte(at: offset)
            for index in 0..<escapedByteCount(byte) { output.append(escaped(byte, index)) }
        }
    }

    /// Whether `text` needs no escapes inside a string.
    static func isPlain(_ text: RawSpan) -> Bool {
        let count = text.byteCount
        var offset = 0
        while offset + 8 <= count, isPlain(word: text.word(at: offset)) { offset += 8 }
        // The last eight bytes overlap those before them.
        if offset + 8 > count, count >= 8, isPlain(word: text.word(at: count - 8)) { return true }
        // A word that seems to contain one is checked byte by byte, because a borrow may have propagated.
        while offset < count {
            if escapedByteCount(text.byte(at: offset)) != 1 { return false }
            offset += 1
        }
        return true
    }

    /// Whether eight bytes certainly need no escapes.
    @inline(__always)
    private static func isPlain(word: UInt64) -> Bool {
        RawSpan.specials(word) & ~word == 0
    }
}
