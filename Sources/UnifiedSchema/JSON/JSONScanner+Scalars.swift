// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

extension JSONScanner {
    /// The range of a string's content, without its quotes.
    struct StringRange {
        let start: Int
        let end: Int
        /// Whether it contains a backslash; otherwise the bytes are the text.
        let hasEscapes: Bool

        var range: Range<Int> { start..<end }
    }

    /// Consumes the string at `position`.
    @_lifetime(self: copy self)
    mutating func string() throws(SchemaError) -> StringRange {
        let start = position + 1
        var offset = start
        var hasEscapes = false
        while true {
            offset = bytes.endOfPlainText(from: offset)
            guard offset < bytes.byteCount else { throw endOfInput() }
            let byte = bytes.byte(at: offset)
            if byte == ASCII.quote {
                position = offset + 1
                return StringRange(start: start, end: offset, hasEscapes: hasEscapes)
            }
            if byte == ASCII.backslash { hasEscapes = true }
            offset = try endOfSpecial(at: offset)
        }
    }

    /// The offset after the escape or non-ASCII character at `offset` inside a string.
    func endOfSpecial(at offset: Int) throws(SchemaError) -> Int {
        let byte = bytes.byte(at: offset)
        if byte == ASCII.backslash { return try endOfEscape(at: offset) }
        if byte < 0x20 {
            throw SchemaError(.malformedJSON, at: offset, rule: "a control character in a string must be escaped")
        }
        return try endOfSequence(at: offset)
    }

    private func endOfEscape(at offset: Int) throws(SchemaError) -> Int {
        guard offset + 1 < bytes.byteCount else { throw endOfInput() }
        switch bytes.byte(at: offset + 1) {
        case ASCII.quote, ASCII.backslash, UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return offset + 2
        case UInt8(ascii: "u"):
            for digit in offset + 2..<offset + 6 {
                guard digit < bytes.byteCount else { throw endOfInput() }
                guard JSONString.hexDigit(bytes.byte(at: digit)) != nil else {
                    throw SchemaError(.malformedJSON, at: digit, rule: "four hexadecimal digits must follow \\u")
                }
            }
            return offset + 6
        default:
            throw SchemaError(.malformedJSON, at: offset, rule: "a backslash must begin a valid escape")
        }
    }

    private func endOfSequence(at offset: Int) throws(SchemaError) -> Int {
        let length = bytes.lengthOfSequence(at: offset)
        if length > 0 { return offset + length }
        if length < 0 { throw endOfInput() }
        throw SchemaError(.malformedJSON, at: offset, rule: "text must be UTF-8")
    }

    /// Consumes the number at `position`. Checks its syntax, not its size.
    @_lifetime(self: copy self)
    mutating func number() throws(SchemaError) {
        var offset = position
        if bytes.byte(at: offset) == ASCII.minus {
            offset += 1
            guard offset < bytes.byteCount else { throw endOfInput() }
            if bytes.byte(at: offset) == UInt8(ascii: "I") { throw notANumber() }
        }
        let first = offset
        offset = try endOfDigits(from: offset, "a digit must follow the sign of a number")
        if bytes.byte(at: first) == ASCII.zero, offset > first + 1 {
            throw SchemaError(.malformedJSON, at: first, rule: "a number must not begin with zeros")
        }
        if offset < bytes.byteCount, bytes.byte(at: offset) == UInt8(ascii: ".") {
            offset = try endOfDigits(from: offset + 1, "a digit must follow the point of a number")
        }
        if offset < bytes.byteCount, bytes.byte(at: offset) | 0x20 == UInt8(ascii: "e") {
            offset += 1
            if offset < bytes.byteCount,
                bytes.byte(at: offset) == UInt8(ascii: "+") || bytes.byte(at: offset) == ASCII.minus
            {
                offset += 1
            }
            offset = try endOfDigits(from: offset, "a digit must follow the exponent sign of a number")
        }
        position = offset
    }

    private func endOfDigits(from start: Int, _ rule: String) throws(SchemaError) -> Int {
        var offset = start
        while offset < bytes.byteCount, ASCII.isDigit(bytes.byte(at: offset)) { offset += 1 }
        if offset > start { return offset }
        if offset == bytes.byteCount { throw endOfInput() }
        throw SchemaError(.malformedJSON, at: offset, rule: rule)
    }

    @_lifetime(self: copy self)
    mutating func literal(_ word: StaticString) throws(SchemaError) {
        let length = word.utf8CodeUnitCount
        for index in 0..<length {
            guard position + index < bytes.byteCount else { throw endOfInput() }
            guard bytes.byte(at: position + index) == word.byte(at: index) else {
                throw malformed("a value must be a string, a number, true, false, null, an array or an object")
            }
        }
        position += length
    }
}

extension RawSpan {
    /// The offset of the first byte at or after `start` that ends a string or needs a closer look: a quote, a
    /// backslash, a control character, or a non-ASCII byte; otherwise the end.
    @inline(__always)
    func endOfPlainText(from start: Int) -> Int {
        let count = byteCount
        var offset = start
        while offset + 32 <= count {
            let first = RawSpan.specials(word(at: offset))
            let second = RawSpan.specials(word(at: offset + 8))
            let third = RawSpan.specials(word(at: offset + 16))
            let fourth = RawSpan.specials(word(at: offset + 24))
            if first | second | third | fourth != 0 {
                if first != 0 { return offset + first.trailingZeroBitCount / 8 }
                if second != 0 { return offset + 8 + second.trailingZeroBitCount / 8 }
                if third != 0 { return offset + 16 + third.trailingZeroBitCount / 8 }
                return offset + 24 + fourth.trailingZeroBitCount / 8
            }
            offset += 32
        }
        while offset < count {
            let byte = byte(at: offset)
            if byte == ASCII.quote || byte == ASCII.backslash || byte < 0x20 || byte >= 0x80 { return offset }
            offset += 1
        }
        return count
    }

    /// Sets the high bit of each of eight bytes that is not plain text. Only the lowest set bit is reliable: a borrow
    /// may have set higher ones.
    @inline(__always)
    static func specials(_ word: UInt64) -> UInt64 {
        // With that bit flipped, a quote becomes 0x20, so only quotes and control characters are below 0x21.
        let quoteOrControl = (word ^ 0x02 &* ASCII.lowBits) &- 0x21 &* ASCII.lowBits
        let backslash = (word ^ 0x5C &* ASCII.lowBits) &- ASCII.lowBits
        return (quoteOrControl | backslash | word) & ASCII.highBits
    }

    /// The length of the UTF-8 sequence of two to four bytes at `offset`: 0 if it is invalid, -1 if the bytes end
    /// within it. Overlong forms and surrogates are invalid.
    func lengthOfSequence(at offset: Int) -> Int {
        let lead = byte(at: offset)
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch lead {
        case 0xC2...0xDF: length = 2
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: length = 3
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: length = 4
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return 0
        }
        guard offset + 1 < byteCount else { return -1 }
        guard second.contains(byte(at: offset + 1)) else { return 0 }
        for index in 2..<max(2, length) {
            guard offset + index < byteCount else { return -1 }
            guard byte(at: offset + index) & 0xC0 == 0x80 else { return 0 }
        }
        return length
    }
}
