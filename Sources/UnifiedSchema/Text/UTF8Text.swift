// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// Text that is compared, ordered and hashed by its UTF-8 bytes.
///
/// `String` treats the composed and the decomposed form of a character as equal. Identities must not: two keys that
/// differ in a byte are different keys. Folding and trimming affect only ASCII.
package struct UTF8Text: Sendable {
    /// The text as a string. Compare ``UTF8Text`` values, never these.
    package let string: String

    package init(_ string: String) {
        var text = string
        text.makeContiguousUTF8()
        self.string = text
    }

    /// Creates text from UTF-8; nil if the bytes are not UTF-8.
    package init?(utf8 bytes: RawSpan) {
        guard let text = String(bytes) else { return nil }
        string = text
    }

    /// Creates text from UTF-8, trimmed and with A-Z folded to a-z; nil if the bytes are not UTF-8.
    package init?(normalizing bytes: RawSpan) {
        guard let text = String(folding: bytes.trimmed()) else { return nil }
        string = text
    }

    /// The UTF-8 bytes.
    package var utf8: String.UTF8View { string.utf8 }

    /// The UTF-8 bytes as a span.
    package var bytes: RawSpan {
        @_lifetime(borrow self)
        get { string.rawSpan }
    }

    /// The number of UTF-8 bytes. Constant time.
    package var byteCount: Int { string.utf8.count }

    package var isEmpty: Bool { string.isEmpty }

    /// Whether it consists only of ASCII white space.
    package var isBlank: Bool { bytes.trimmed().isEmpty }

    /// The text with A-Z folded to a-z; all other bytes are unchanged.
    package func asciiLowercased() -> UTF8Text {
        UTF8Text(unchecked: string.foldingASCII())
    }

    /// The text without leading and trailing ASCII white space.
    package func trimmed() -> UTF8Text {
        let inner = bytes.trimmed()
        if inner.byteCount == byteCount { return self }
        return UTF8Text(utf8: inner) ?? self
    }

    /// Trimmed and folded: the form in which identities are compared.
    package func normalized() -> UTF8Text {
        bytes.isNormalized ? self : UTF8Text(normalizing: bytes) ?? self
    }

    /// Trimmed and folded; nil if nothing is left.
    package var normalizedUnlessBlank: UTF8Text? {
        let text = normalized()
        return text.isEmpty ? nil : text
    }

    private init(unchecked string: String) {
        self.string = string
    }
}

extension UTF8Text: Hashable, Comparable {
    package static func == (left: UTF8Text, right: UTF8Text) -> Bool {
        left.bytes.isEqual(to: right.bytes)
    }

    /// Orders by bytes, which is also the order of code points.
    package static func < (left: UTF8Text, right: UTF8Text) -> Bool {
        left.bytes.precedes(right.bytes)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(byteCount)
        hasher.combine(bytes)
    }
}

extension UTF8Text: ExpressibleByStringLiteral, CustomStringConvertible {
    package init(stringLiteral value: String) {
        self.init(value)
    }

    package var description: String { string }
}

extension RawSpan {
    /// The bytes without leading and trailing ASCII white space.
    @_lifetime(copy self)
    package func trimmed() -> RawSpan {
        var start = 0
        var end = byteCount
        while start < end, ASCII.isWhitespace(byte(at: start)) { start += 1 }
        while end > start, ASCII.isWhitespace(byte(at: end - 1)) { end -= 1 }
        return extracting(start..<end)
    }

    /// Whether trimming and folding change nothing.
    fileprivate var isNormalized: Bool {
        let count = byteCount
        guard count > 0 else { return true }
        if ASCII.isWhitespace(byte(at: 0)) || ASCII.isWhitespace(byte(at: count - 1)) { return false }
        var offset = 0
        while offset + 8 <= count {
            if ASCII.folded(word: word(at: offset)) != word(at: offset) { return false }
            offset += 8
        }
        // The last eight bytes overlap those before them.
        let last = count >= 8 ? word(at: count - 8) : partialWord(at: 0, count: count)
        return ASCII.folded(word: last) == last
    }

    /// Whether these bytes sort before the other ones.
    func precedes(_ other: RawSpan) -> Bool {
        let shared = min(byteCount, other.byteCount)
        var offset = 0
        while offset + 8 <= shared {
            let (mine, theirs) = (word(at: offset), other.word(at: offset))
            if mine != theirs { return mine.byteSwapped < theirs.byteSwapped }
            offset += 8
        }
        while offset < shared {
            let (mine, theirs) = (byte(at: offset), other.byte(at: offset))
            if mine != theirs { return mine < theirs }
            offset += 1
        }
        return byteCount < other.byteCount
    }
}
