// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// Reads encoded facts without copying. Bytes that are not valid facts make it throw, never trap.
struct FactsReader: ~Escapable {
    let bytes: RawSpan
    private var position: Int
    let kind: EntryKind
    /// The section, if it has a number; otherwise see ``sectionName``.
    let section: DocumentSection?
    let sectionName: Name?
    /// Nil if the entry has no key.
    let key: Name?
    /// The number of members not read yet.
    private(set) var remaining: Int

    /// Text within the bytes: the content of a JSON string.
    struct Name {
        let range: Range<Int>
        let hasEscapes: Bool
    }

    struct Member {
        /// Nil for a name without a number; see ``unknownName``.
        let name: MemberName?
        let unknownName: Name?
        let form: FactsFormat.ValueForm
        let range: Range<Int>
    }

    @_lifetime(copy bytes)
    init(_ bytes: RawSpan) throws(SchemaError) {
        self.bytes = bytes
        guard bytes.byteCount >= 5 else { throw FactsReader.malformed(bytes.byteCount) }
        guard let head = FactsFormat.headByteCount(version: bytes.byte(at: 0)) else {
            throw SchemaError(.unsupportedVersion, at: 0, rule: "facts of this version are not supported")
        }
        guard bytes.byteCount >= head + 4 else { throw FactsReader.malformed(bytes.byteCount) }
        guard let kind = EntryKind(storedNumber: bytes.byte(at: head)) else { throw FactsReader.malformed(head) }
        self.kind = kind
        var position = head + 2
        switch bytes.byte(at: head + 1) {
        case FactsFormat.plainSection, FactsFormat.escapedSection:
            let range = try FactsReader.text(bytes, &position)
            section = nil
            sectionName = Name(range: range, hasEscapes: bytes.byte(at: head + 1) == FactsFormat.escapedSection)
        case let number:
            guard let known = DocumentSection(rawValue: number) else { throw FactsReader.malformed(head + 1) }
            section = known
            sectionName = nil
        }
        guard position < bytes.byteCount, let form = FactsFormat.KeyForm(rawValue: bytes.byte(at: position)) else {
            throw FactsReader.malformed(position)
        }
        position += 1
        if form == .none {
            key = nil
        } else {
            key = Name(range: try FactsReader.text(bytes, &position), hasEscapes: form == .escaped)
        }
        remaining = try FactsReader.varint(bytes, &position)
        self.position = position
        if kind == .opaque, remaining != 0 { throw FactsReader.malformed(position) }
    }

    /// The next member; nil after the last one.
    @_lifetime(self: copy self)
    @inline(__always)
    mutating func next() throws(SchemaError) -> Member? {
        guard remaining > 0 else {
            guard position == bytes.byteCount else { throw FactsReader.malformed(position) }
            return nil
        }
        remaining -= 1
        guard position < bytes.byteCount else { throw FactsReader.malformed(position) }
        let number = bytes.byte(at: position)
        position += 1
        var unknownName: Name?
        if number == 0 {
            let head = try FactsReader.varint(bytes, &position)
            unknownName = Name(
                range: try FactsReader.take(head >> 1, of: bytes, &position),
                hasEscapes: head & 1 == 1
            )
        }
        let name = MemberName(rawValue: number)
        if name == nil, number != 0 { throw FactsReader.malformed(position - 1) }
        let head = try FactsReader.varint(bytes, &position)
        guard let form = FactsFormat.ValueForm(rawValue: head & 3) else { throw FactsReader.malformed(position) }
        let range = try FactsReader.take(head >> 2, of: bytes, &position)
        if form == .secret, !range.isEmpty { throw FactsReader.malformed(position) }
        if form == .rawJSON, range.isEmpty { throw FactsReader.malformed(position) }
        return Member(name: name, unknownName: unknownName, form: form, range: range)
    }

    /// The text of a string value; nil for any other type and for text with a lone surrogate.
    func text(_ member: Member) -> UTF8Text? {
        switch member.form {
        case .plainString: UTF8Text(utf8: bytes.extracting(member.range))
        case .escapedString: JSONString.text(of: bytes.extracting(member.range), hasEscapes: true)
        case .rawJSON, .secret: nil
        }
    }

    /// The JSON text of a value as it was read; nil for a secret.
    func json(_ member: Member) -> [UInt8]? {
        switch member.form {
        case .secret: nil
        case .rawJSON: bytes.extracting(member.range).copied()
        case .plainString, .escapedString:
            [ASCII.quote] + bytes.extracting(member.range).copied() + [ASCII.quote]
        }
    }

    func isNull(_ member: Member) -> Bool {
        member.form == .rawJSON && member.range.count == 4
            && bytes.byte(at: member.range.lowerBound) == UInt8(ascii: "n")
    }

    /// Whole seconds from a string or a number; nil for any other type.
    func seconds(_ member: Member) -> Int64? { time(member, Seconds.parse) }

    /// The same in microseconds.
    func microseconds(_ member: Member) -> Int64? { time(member, Seconds.parseMicroseconds) }

    @inline(__always)
    private func time(_ member: Member, _ parse: (RawSpan) -> Int64?) -> Int64? {
        switch member.form {
        case .plainString, .rawJSON: parse(bytes.extracting(member.range))
        case .escapedString: text(member).flatMap { parse($0.bytes) }
        case .secret: nil
        }
    }

    private static func text(_ bytes: RawSpan, _ position: inout Int) throws(SchemaError) -> Range<Int> {
        let count = try varint(bytes, &position)
        return try take(count, of: bytes, &position)
    }

    @inline(__always)
    private static func take(
        _ count: Int,
        of bytes: RawSpan,
        _ position: inout Int
    ) throws(SchemaError) -> Range<Int> {
        guard count <= bytes.byteCount - position else { throw malformed(position) }
        defer { position += count }
        return position..<position + count
    }

    @inline(__always)
    private static func varint(_ bytes: RawSpan, _ position: inout Int) throws(SchemaError) -> Int {
        guard let value = Varint.read(bytes, at: &position) else { throw malformed(position) }
        return value
    }

    private static func malformed(_ position: Int) -> SchemaError {
        SchemaError(.malformedFacts, at: position, rule: "the facts contain an invalid length or number")
    }
}
