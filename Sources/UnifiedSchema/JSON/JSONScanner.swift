// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// Reads JSON token by token from bytes owned by the caller. Copies nothing.
///
/// Strict RFC 8259 in UTF-8: no byte order mark, no comments, no trailing commas, no other encodings, no duplicate
/// names in an object. The bare words `NaN`, `Infinity` and `-Infinity`, which Python writes, are errors of the entry
/// that contains them. Numbers are kept as text and never interpreted here. An escaped lone surrogate is well-formed and
/// kept unchanged; reading it as text yields nil.
///
/// At the end of the bytes it throws `unexpectedEnd`, so that a streaming reader can fetch more and restart the value.
/// Memory use is constant, except for the names of the open objects.
struct JSONScanner: ~Escapable {
    let bytes: RawSpan
    /// The offset of the next byte.
    var position = 0
    /// The maximum nesting of values, counted from the first byte.
    let maximumDepth: Int
    /// The names of the open objects.
    var names = OpenNames()
    /// Whether a line feed was consumed.
    var sawNewline = false

    /// More would let hostile input exhaust the stack.
    static let highestDepth = 128

    @_lifetime(copy bytes)
    init(_ bytes: RawSpan, from position: Int = 0, maximumDepth: Int) {
        self.bytes = bytes
        self.position = position
        self.maximumDepth = min(maximumDepth, JSONScanner.highestDepth)
    }

    /// The type of a value, from its first byte and, for strings, from whether it contains a backslash.
    enum Form: UInt8 {
        case plainString
        case escapedString
        case number
        case boolean
        case null
        case array
        case object
    }

    /// Consumes white space.
    @_lifetime(self: copy self)
    mutating func skipWhitespace() {
        while position < bytes.byteCount {
            switch bytes.byte(at: position) {
            case 0x20, 0x0D, 0x09: position += 1
            case ASCII.newline:
                sawNewline = true
                position += 1
            default: return
            }
        }
    }

    /// The next byte that is not white space, without consuming it.
    @_lifetime(self: copy self)
    mutating func peek() throws(SchemaError) -> UInt8 {
        skipWhitespace()
        guard position < bytes.byteCount else { throw endOfInput() }
        return bytes.byte(at: position)
    }

    /// Consumes the next byte that is not white space if it is `byte`.
    @_lifetime(self: copy self)
    mutating func take(_ byte: UInt8) throws(SchemaError) -> Bool {
        guard try peek() == byte else { return false }
        position += 1
        return true
    }

    @_lifetime(self: copy self)
    mutating func expect(_ byte: UInt8, _ rule: String) throws(SchemaError) {
        guard try take(byte) else { throw malformed(rule) }
    }

    /// Consumes one value of any type, `depth` levels below the start, and returns its type.
    @_lifetime(self: copy self)
    mutating func value(depth: Int) throws(SchemaError) -> Form {
        switch try peek() {
        case ASCII.quote:
            return try string().hasEscapes ? .escapedString : .plainString
        case ASCII.openBrace:
            try object(depth: depth)
            return .object
        case ASCII.openBracket:
            try array(depth: depth)
            return .array
        case UInt8(ascii: "t"):
            try literal("true")
            return .boolean
        case UInt8(ascii: "f"):
            try literal("false")
            return .boolean
        case UInt8(ascii: "n"):
            try literal("null")
            return .null
        case UInt8(ascii: "N"), UInt8(ascii: "I"):
            throw notANumber()
        case ASCII.minus, 0x30...0x39:
            try number()
            return .number
        default:
            throw malformed("a value must be a string, a number, true, false, null, an array or an object")
        }
    }

    @_lifetime(self: copy self)
    private mutating func object(depth: Int) throws(SchemaError) {
        try checkDepth(depth)
        position += 1
        if try take(ASCII.closeBrace) { return }
        let scope = names.open()
        repeat {
            _ = try name(in: scope)
            _ = try value(depth: depth + 1)
        } while try nextMember(closing: ASCII.closeBrace)
        names.close(scope)
    }

    @_lifetime(self: copy self)
    private mutating func array(depth: Int) throws(SchemaError) {
        try checkDepth(depth)
        position += 1
        if try take(ASCII.closeBracket) { return }
        repeat {
            _ = try value(depth: depth + 1)
        } while try nextMember(closing: ASCII.closeBracket)
    }

    /// Consumes the name of a member and its colon. Throws if the object already has that name.
    @_lifetime(self: copy self)
    mutating func name(in scope: OpenNames.Scope) throws(SchemaError) -> StringRange {
        guard try peek() == ASCII.quote else { throw malformed("the name of a member must be a string") }
        let start = position
        let location = try string()
        guard names.insert(location, of: bytes, in: scope) else {
            throw SchemaError(.duplicateName, at: start, rule: "a name occurs twice in one object")
        }
        try expect(ASCII.colon, "a colon must follow the name of a member")
        return location
    }

    /// Consumes the comma before another member (true) or the closing bracket (false).
    @_lifetime(self: copy self)
    mutating func nextMember(closing: UInt8) throws(SchemaError) -> Bool {
        let byte = try peek()
        if byte == ASCII.comma {
            position += 1
            if try peek() == closing { throw malformed("a comma must not precede a closing bracket") }
            return true
        }
        guard byte == closing else { throw malformed("a comma or the closing bracket must follow a member") }
        position += 1
        return false
    }

    func checkDepth(_ depth: Int) throws(SchemaError) {
        if depth > maximumDepth {
            throw SchemaError(.limitExceeded, at: position, rule: "values nest deeper than \(maximumDepth) levels")
        }
    }

    /// Only the entry is bad: the value can be skipped.
    func notANumber() -> SchemaError {
        SchemaError(.invalidEntry, at: position, rule: "NaN and infinities are no JSON: write a number or null instead")
    }

    func malformed(_ rule: String) -> SchemaError {
        SchemaError(.malformedJSON, at: position, rule: rule)
    }

    func endOfInput() -> SchemaError {
        SchemaError(
            .unexpectedEnd,
            at: bytes.byteCount,
            rule: bytes.byteCount == 0 ? "the input is empty" : "the input ends in the middle of a value"
        )
    }
}
