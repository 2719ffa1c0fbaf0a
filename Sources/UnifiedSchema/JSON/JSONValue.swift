// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// A JSON value in memory that is not secret: nested members of entries, claims of id tokens.
///
/// Members keep their order; numbers keep their text.
package enum JSONValue: Hashable, Sendable {
    case object([Member])
    case array([JSONValue])
    case string(UTF8Text)
    case number(UTF8Text)
    case boolean(Bool)
    case null

    package struct Member: Hashable, Sendable {
        package let name: UTF8Text
        package let value: JSONValue

        package init(name: UTF8Text, value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// Parses one value, surrounded only by white space, under the rules of documents.
    ///
    /// - Throws: violations of JSON's rules; `limitExceeded` for deeper nesting; `malformedJSON` for text with a lone
    ///   surrogate, which a value cannot represent.
    package init(parsing bytes: RawSpan, depth: Int = 32) throws(SchemaError) {
        var scanner = JSONScanner(bytes, maximumDepth: depth)
        // Scan all of it first, so that malformed JSON never yields a partial value.
        _ = try scanner.value(depth: 1)
        scanner.skipWhitespace()
        guard scanner.position == bytes.byteCount else { throw scanner.malformed("nothing may follow the value") }
        scanner.position = 0
        self = try JSONValue.next(&scanner)
    }

    private static func next(_ scanner: inout JSONScanner) throws(SchemaError) -> JSONValue {
        switch try scanner.peek() {
        case ASCII.openBrace:
            scanner.position += 1
            var members: [Member] = []
            if try scanner.take(ASCII.closeBrace) { return .object(members) }
            repeat {
                _ = try scanner.peek()
                let name = try text(&scanner)
                try scanner.expect(ASCII.colon, "a colon must follow the name of a member")
                members.append(Member(name: name, value: try next(&scanner)))
            } while try scanner.nextMember(closing: ASCII.closeBrace)
            return .object(members)
        case ASCII.openBracket:
            scanner.position += 1
            var elements: [JSONValue] = []
            if try scanner.take(ASCII.closeBracket) { return .array(elements) }
            repeat { elements.append(try next(&scanner)) } while try scanner.nextMember(closing: ASCII.closeBracket)
            return .array(elements)
        case ASCII.quote:
            return .string(try text(&scanner))
        default:
            let start = scanner.position
            let form = try scanner.value(depth: 1)
            let bytes = scanner.bytes.extracting(start..<scanner.position)
            switch form {
            case .boolean: return .boolean(bytes.byteCount == 4)
            case .number: return .number(UTF8Text(utf8: bytes) ?? "")
            default: return .null
            }
        }
    }

    private static func text(_ scanner: inout JSONScanner) throws(SchemaError) -> UTF8Text {
        let location = try scanner.string()
        let content = scanner.bytes.extracting(location.range)
        guard let text = JSONString.text(of: content, hasEscapes: location.hasEscapes) else {
            throw SchemaError(.malformedJSON, at: location.start, rule: "a string contains an unpaired surrogate")
        }
        return text
    }
}

extension JSONValue {
    /// An object of the texts that are not nil.
    package static func object(of texts: KeyValuePairs<UTF8Text, String?>) -> JSONValue {
        .object(texts.compactMap { name, text in text.map { Member(name: name, value: .string(UTF8Text($0))) } })
    }

    /// The member of an object; nil if it is absent, null, or this is not an object.
    package subscript(name: UTF8Text) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name && $0.value != .null }?.value
    }

    /// The members of an object; empty for any other type.
    package var members: [Member] {
        if case .object(let members) = self { members } else { [] }
    }

    /// The elements of an array; empty for any other type.
    package var elements: [JSONValue] {
        if case .array(let elements) = self { elements } else { [] }
    }

    /// The text of a string; nil for any other type.
    package var text: UTF8Text? {
        if case .string(let text) = self { text } else { nil }
    }

    /// Whole seconds from a string or a number.
    package var seconds: Int64? {
        switch self {
        case .string(let text), .number(let text): Seconds.parse(text)
        default: nil
        }
    }

    /// The value of a Boolean; nil for any other type.
    package var boolean: Bool? {
        if case .boolean(let value) = self { value } else { nil }
    }
}
