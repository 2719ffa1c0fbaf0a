/// Reads one JSON value out of bytes that nobody vouches for: the parts of a token. Bounded in depth; gives nothing
/// where the bytes are not JSON.
struct JSONReader {
    private let bytes: [UInt8]
    private var position = 0

    private static let deepest = 32

    /// The value that `bytes` are, with nothing behind it.
    static func value(of bytes: [UInt8]) -> JSONValue? {
        var reader = JSONReader(bytes: bytes)
        guard let value = reader.value(depth: 0) else { return nil }
        reader.skipBlanks()
        return reader.position == bytes.count ? value : nil
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipBlanks() {
        while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        skipBlanks()
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func value(depth: Int) -> JSONValue? {
        guard depth < Self.deepest else { return nil }
        skipBlanks()
        switch next {
        case UInt8(ascii: "{"): return object(depth: depth)
        case UInt8(ascii: "["): return array(depth: depth)
        case UInt8(ascii: "\""): return string().map(JSONValue.string)
        case UInt8(ascii: "t"): return word("true", .boolean(true))
        case UInt8(ascii: "f"): return word("false", .boolean(false))
        case UInt8(ascii: "n"): return word("null", .null)
        default: return number()
        }
    }

    private mutating func object(depth: Int) -> JSONValue? {
        position += 1
        var members: [JSONValue.Member] = []
        if take("}") { return .object([]) }
        repeat {
            skipBlanks()
            guard next == UInt8(ascii: "\""), let name = string(), take(":"), let value = value(depth: depth + 1) else {
                return nil
            }
            members.append(JSONValue.Member(name: name, value: value))
        } while take(",")
        return take("}") ? .object(members) : nil
    }

    private mutating func array(depth: Int) -> JSONValue? {
        position += 1
        var values: [JSONValue] = []
        if take("]") { return .array([]) }
        repeat {
            guard let value = value(depth: depth + 1) else { return nil }
            values.append(value)
        } while take(",")
        return take("]") ? .array(values) : nil
    }

    private mutating func word(_ text: StaticString, _ value: JSONValue) -> JSONValue? {
        let expected = Array(text.description.utf8)
        guard bytes[position...].starts(with: expected) else { return nil }
        position += expected.count
        return value
    }

    private mutating func number() -> JSONValue? {
        let start = position
        while let byte = next, Self.numeric.contains(byte) { position += 1 }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        // A leading digit or minus, and something that is a number: `+1`, `.5` and `e5` are not JSON.
        guard let first = text.utf8.first, first == UInt8(ascii: "-") || (0x30...0x39).contains(first),
            Double(text) != nil
        else { return nil }
        return .number(text)
    }

    private static let numeric = Set("+-.0123456789eE".utf8)

    /// The text of the string that begins here.
    private mutating func string() -> String? {
        position += 1
        var text: [UInt8] = []
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let scalar = escape() else { return nil }
                text.append(contentsOf: Array(String(scalar).utf8))
            case 0..<0x20: return nil
            default: text.append(byte)
            }
        }
        return nil
    }

    private mutating func escape() -> Unicode.Scalar? {
        guard let kind = next else { return nil }
        position += 1
        switch kind {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(kind)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return unicodeEscape()
        default: return nil
        }
    }

    private mutating func unicodeEscape() -> Unicode.Scalar? {
        guard let first = codeUnit() else { return nil }
        guard 0xD800..<0xDC00 ~= first else { return Unicode.Scalar(first) }
        guard bytes[position...].starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "u")]) else { return nil }
        position += 2
        guard let second = codeUnit(), 0xDC00..<0xE000 ~= second else { return nil }
        return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    }

    private mutating func codeUnit() -> UInt32? {
        guard position + 4 <= bytes.count else { return nil }
        defer { position += 4 }
        return UInt32(String(decoding: bytes[position..<position + 4], as: UTF8.self), radix: 16)
    }
}
