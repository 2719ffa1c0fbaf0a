internal import ByteOperations

/// Reads JSON token by token out of bytes that somebody else owns. Copies nothing.
///
/// Strict RFC 8259 in UTF-8: no byte order mark, no comments, no trailing commas, no other encodings, no name twice in
/// one object. One leniency: the bare words `NaN`, `Infinity` and `-Infinity`, which Python writes, count as numbers;
/// numbers are kept as text and never interpreted here. An escaped surrogate without its partner is well-formed and is
/// kept as it stands; asking for it as text gives nothing.
///
/// Running out of bytes throws `unexpectedEnd`, so a reader of a stream can fetch more and begin the value again.
/// Memory: constant, but for the names of the objects that are open.
struct JSONScanner: ~Escapable {
    let bytes: RawSpan
    /// Offset of the next byte.
    var position = 0
    /// How deep values may nest, counted from the first byte.
    let maximumDepth: Int
    /// Names of the objects that are open.
    var names = OpenNames()
    /// Whether a line feed was stepped over.
    var sawNewline = false

    /// More would let a hostile input exhaust the stack.
    static let highestDepth = 128

    @_lifetime(copy bytes)
    init(_ bytes: RawSpan, from position: Int = 0, maximumDepth: Int) {
        self.bytes = bytes
        self.position = position
        self.maximumDepth = min(maximumDepth, JSONScanner.highestDepth)
    }

    /// What a value is, told by its first byte and, for strings, by whether a backslash is in it.
    enum Form: UInt8 {
        case plainString
        case escapedString
        case number
        case boolean
        case null
        case array
        case object
    }

    /// Steps over white space.
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

    /// The next byte that is not white space, not consumed.
    @_lifetime(self: copy self)
    mutating func peek() throws(SchemaError) -> UInt8 {
        skipWhitespace()
        guard position < bytes.byteCount else { throw endOfInput() }
        return bytes.byte(at: position)
    }

    /// Steps over the next byte that is not white space if it is `byte`.
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

    /// Steps over one value of any form, `depth` levels below the start, and says what it is.
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
        case UInt8(ascii: "N"):
            try literal("NaN")
            return .number
        case UInt8(ascii: "I"):
            try literal("Infinity")
            return .number
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

    /// Steps over the name of a member and its colon. Refuses one that the object has already.
    @_lifetime(self: copy self)
    mutating func name(in scope: OpenNames.Scope) throws(SchemaError) -> StringRange {
        guard try peek() == ASCII.quote else { throw malformed("the name of a member must be a string") }
        let start = position
        let location = try string()
        guard names.insert(location, of: bytes, in: scope) else {
            throw SchemaError(.duplicateName, at: start, rule: "a name stands twice in one object")
        }
        try expect(ASCII.colon, "a colon must follow the name of a member")
        return location
    }

    /// Steps over the comma before another member (true) or over the closing bracket (false).
    @_lifetime(self: copy self)
    mutating func nextMember(closing: UInt8) throws(SchemaError) -> Bool {
        let byte = try peek()
        if byte == ASCII.comma {
            position += 1
            if try peek() == closing { throw malformed("no comma may stand before a closing bracket") }
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
