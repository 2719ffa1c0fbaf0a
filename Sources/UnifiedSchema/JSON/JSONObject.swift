// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// The members of one JSON object, as ranges in bytes owned by the caller, which may be secret memory.
///
/// For JSON that is not a document: a token response, the claims of a token. Only the names of members are read; values
/// are left in place until they are requested.
package struct JSONObject: Sendable {
    /// The range and type of a value.
    package struct Value: Hashable, Sendable {
        package let form: Form
        /// The range of the value's JSON, including quotes.
        package let range: Range<Int>

        /// The range of a string's content, without its quotes.
        package var content: Range<Int> { range.lowerBound + 1..<range.upperBound - 1 }

        package var isString: Bool { form == .plainString || form == .escapedString }
    }

    /// The type of a value.
    package enum Form: Hashable, Sendable {
        /// A string whose content is the text itself.
        case plainString
        /// A string with escapes in its content.
        case escapedString
        case number
        case boolean
        case null
        case array
        case object
    }

    private struct Member {
        let name: JSONScanner.StringRange
        let value: Value
    }

    private let members: [Member]

    /// Lists the members of the object in `json`.
    ///
    /// - Throws: violations of JSON's rules, duplicate names, `notAnObject` for other values, `limitExceeded` for
    ///   nesting deeper than 32 levels. Never traps.
    package init(_ json: RawSpan) throws(SchemaError) {
        var scanner = JSONScanner(json, maximumDepth: DocumentLimits().depth)
        guard try scanner.peek() == ASCII.openBrace else {
            throw SchemaError(.notAnObject, at: scanner.position, rule: "an object must begin here")
        }
        scanner.position += 1
        var members: [Member] = []
        members.reserveCapacity(24)
        if try !scanner.take(ASCII.closeBrace) {
            let scope = scanner.names.open()
            repeat {
                let name = try scanner.name(in: scope)
                scanner.skipWhitespace()
                let start = scanner.position
                let form = try scanner.value(depth: 2)
                let value = Value(form: Form(form), range: start..<scanner.position)
                members.append(Member(name: name, value: value))
            } while try scanner.nextMember(closing: ASCII.closeBrace)
        }
        scanner.skipWhitespace()
        guard scanner.position == json.byteCount else { throw scanner.malformed("nothing may follow the object") }
        self.members = members
    }

    /// The value of a member; nil if it is absent or null. `json` is the JSON of the object.
    package func value(_ name: StaticString, in json: RawSpan) -> Value? {
        value(in: json, byteCount: name.utf8CodeUnitCount) { $0.isEqual(to: name) }
    }

    /// The value of a member; nil if it is absent or null. `json` is the JSON of the object.
    package func value(of name: UTF8Text, in json: RawSpan) -> Value? {
        value(in: json, byteCount: name.byteCount) { $0.isEqual(to: name.bytes) }
    }

    @inline(__always)
    private func value(in json: RawSpan, byteCount: Int, _ isName: (RawSpan) -> Bool) -> Value? {
        for index in members.indices {
            let location = members[index].name
            if location.hasEscapes {
                let name = JSONString.identity(of: json.extracting(location.range), hasEscapes: true)
                guard isName(name.rawSpan) else { continue }
            } else {
                guard location.end - location.start == byteCount, isName(json.extracting(location.range)) else {
                    continue
                }
            }
            let value = members[index].value
            return value.form == .null ? nil : value
        }
        return nil
    }

    /// The text of a string member; nil for any other type. `json` is the JSON of the object. Not for secrets.
    package func text(_ name: StaticString, in json: RawSpan) -> UTF8Text? {
        guard let value = value(name, in: json) else { return nil }
        return text(of: value, in: json)
    }

    /// The text of a string value; nil for any other type. Not for secrets.
    package func text(of value: Value, in json: RawSpan) -> UTF8Text? {
        guard value.isString else { return nil }
        return JSONString.text(of: json.extracting(value.content), hasEscapes: value.form == .escapedString)
    }

    /// The strings in an array that is a value of the object; other elements are skipped. Not for secrets.
    package static func texts(inArray value: Value, in json: RawSpan) -> [UTF8Text] {
        guard value.form == .array, let array = try? JSONValue(parsing: json.extracting(value.range)) else { return [] }
        return array.elements.compactMap(\.text)
    }

    /// Whole seconds of a member that is a number, or a string that contains one. `json` is the JSON of the object.
    package func seconds(_ name: StaticString, in json: RawSpan) -> Int64? {
        guard let value = value(name, in: json) else { return nil }
        switch value.form {
        case .plainString: return Seconds.parse(json.extracting(value.content))
        case .number: return Seconds.parse(json.extracting(value.range))
        default: return nil
        }
    }

    /// Writes the text of a string into `output`, which must have room for as many bytes as its content has.
    ///
    /// - Parameters:
    ///   - value: a string of this object.
    ///   - json: the JSON of the object.
    ///   - output: memory of the caller; secret memory if the text is secret.
    /// - Throws: `invalidEntry` if it contains a lone surrogate, or if the value is not a string.
    @_lifetime(output: copy output)
    package static func unescape(
        _ value: Value,
        in json: RawSpan,
        into output: inout OutputRawSpan
    ) throws(SchemaError) {
        guard value.isString else {
            throw SchemaError(.invalidEntry, at: value.range.lowerBound, rule: "the value must be text")
        }
        let token = SecretPayload.Token(range: value.content, hasEscapes: value.form == .escapedString)
        try SecretPayload.unescape(token, in: json, into: &output)
    }
}

extension JSONObject.Form {
    fileprivate init(_ form: JSONScanner.Form) {
        self =
            switch form {
            case .plainString: .plainString
            case .escapedString: .escapedString
            case .number: .number
            case .boolean: .boolean
            case .null: .null
            case .array: .array
            case .object: .object
            }
    }
}
