// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// Reads an entry in two steps: lists its members in one pass over the bytes, then classifies and encodes them.
enum EntryMembers {
    /// One member, as ranges only.
    struct Member {
        let name: MemberName?
        let nameLocation: JSONScanner.StringRange
        let form: JSONScanner.Form
        /// The range of the raw JSON value, including quotes.
        let range: Range<Int>

        /// The range of a string's content, without its quotes.
        var content: Range<Int> { range.lowerBound + 1..<range.upperBound - 1 }

        var isString: Bool { form == .plainString || form == .escapedString }
    }

    /// Consumes the object at the scanner's position and lists its members.
    ///
    /// - Returns: the range of the object.
    /// - Throws: `notAnObject`, with nothing consumed, if another value begins there.
    static func scan(
        _ scanner: inout JSONScanner,
        depth: Int,
        into members: inout [Member]
    ) throws(SchemaError) -> Range<Int> {
        members.removeAll(keepingCapacity: true)
        guard try scanner.peek() == ASCII.openBrace else {
            throw SchemaError(.notAnObject, at: scanner.position, rule: "an entry must be an object")
        }
        try scanner.checkDepth(depth)
        let start = scanner.position
        scanner.position += 1
        if try scanner.take(ASCII.closeBrace) { return start..<scanner.position }
        let scope = scanner.names.open()
        let table = MemberNameTable.shared
        repeat {
            let location = try scanner.name(in: scope)
            scanner.skipWhitespace()
            let valueStart = scanner.position
            let form = try scanner.value(depth: depth + 1)
            members.append(
                Member(
                    name: location.hasEscapes ? nil : table.name(scanner.bytes.extracting(location.range)),
                    nameLocation: location,
                    form: form,
                    range: valueStart..<scanner.position
                )
            )
        } while try scanner.nextMember(closing: ASCII.closeBrace)
        scanner.names.close(scope)
        return start..<scanner.position
    }

    /// Classifies the entry and encodes its facts.
    static func assemble(
        _ json: RawSpan,
        range: Range<Int>,
        members: [Member],
        at location: EntryLocation
    ) -> ParsedEntry {
        guard let section = location.section, location.hasKey,
            let (kind, isReliable) = EntryClassifier.kind(of: members, in: json, section: section)
        else {
            return opaque(json, range, at: location)
        }
        return result(of: kind, json, members, at: location, token: isReliable ? .secret : nil)
    }

    /// Encodes the facts of a known entry. `token` is the member that lookups return, if they may.
    static func result(
        of kind: EntryKind,
        _ json: RawSpan,
        _ members: [Member],
        at location: EntryLocation,
        token: MemberName?
    ) -> ParsedEntry {
        var size = 16 + location.keyByteCount
        for member in members { size += 4 + (member.isSecret(in: json) ? 0 : member.range.count) }
        var writer = FactsWriter(kind: kind, reserving: size)
        writer.location(location, in: json)
        writer.memberCount(members.count)
        var secrets: [Range<Int>] = []
        var tokenIndex: Int?
        for member in members {
            if let name = member.name {
                writer.name(name)
            } else {
                writer.name(
                    content: json.extracting(member.nameLocation.range),
                    hasEscapes: member.nameLocation.hasEscapes
                )
            }
            if member.isSecret(in: json) {
                if let token, member.name == token, member.isToken(in: json) { tokenIndex = secrets.count }
                secrets.append(member.range)
                writer.secretValue()
                continue
            }
            switch member.form {
            case .plainString: writer.value(.plainString, json.extracting(member.content))
            case .escapedString: writer.value(.escapedString, json.extracting(member.content))
            default: writer.value(.rawJSON, json.extracting(member.range))
            }
        }
        // An item of ADAL may have another token than the one that is returned.
        if tokenIndex == nil, !secrets.isEmpty, kind.isCredential, kind != .legacySingleResourceToken {
            writer.setWithoutToken()
        }
        return ParsedEntry(
            facts: EntryFacts(written: writer.bytes, kind: kind),
            secrets: SecretRanges(ranges: secrets, tokenIndex: tokenIndex)
        )
    }

    /// An entry that is entirely secret.
    static func opaque(_ json: RawSpan, _ range: Range<Int>, at location: EntryLocation) -> ParsedEntry {
        var writer = FactsWriter(kind: .opaque, reserving: 16 + location.keyByteCount)
        writer.location(location, in: json)
        writer.memberCount(0)
        return ParsedEntry(
            facts: EntryFacts(written: writer.bytes, kind: .opaque),
            secrets: SecretRanges(ranges: [range], tokenIndex: nil)
        )
    }
}

extension EntryMembers.Member {
    /// A null and blank text are not secret, and storing them among the facts shows that there is no secret.
    func isSecret(in json: RawSpan) -> Bool { name?.isSecret == true && form != .null && !isBlank(in: json) }

    /// Whether the value may be a token.
    func isToken(in json: RawSpan) -> Bool {
        isString && TokenText.isValid(json.extracting(content), hasEscapes: form == .escapedString)
    }

    /// Whether it is text without anything but white space. Copies nothing, because it may be a secret.
    func isBlank(in json: RawSpan) -> Bool {
        switch form {
        case .plainString: return json.extracting(content).trimmed().isEmpty
        case .escapedString:
            let content = json.extracting(content)
            var unescaper = JSONUnescaper(.kept)
            while let byte = unescaper.next(of: content) {
                guard ASCII.isWhitespace(byte) else { return false }
            }
            return !unescaper.failed
        default: return false
        }
    }
}

/// An entry read from JSON. Instead of its secrets it has their ranges in the bytes.
package struct ParsedEntry: Sendable {
    package let facts: EntryFacts
    package let secrets: SecretRanges
}
