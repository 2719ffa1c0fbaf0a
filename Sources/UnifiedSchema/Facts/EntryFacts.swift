// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// One entry without its secrets, exactly as it was read: section, key, and members in order with the raw JSON text of
/// every value. Secret members are marked; their values are in the entry's ``SecretPayload``, in the same order.
///
/// It is kept in its stored binary form, so encoding is free and decoding is a single check. Reading a member walks
/// past the members before it, at some nanoseconds each. It contains no secret, but names and tenants: do not log it.
package struct EntryFacts: Hashable, Sendable {
    /// The validated binary form.
    private let bytes: [UInt8]

    package let kind: EntryKind

    init(written bytes: [UInt8], kind: EntryKind) {
        self.bytes = bytes
        self.kind = kind
    }

    /// Validates and takes an encoded form.
    ///
    /// - Throws: `malformedFacts`, or `unsupportedVersion` for a later version. Never traps.
    package init(decoding bytes: [UInt8]) throws(SchemaError) {
        var reader = try FactsReader(bytes.rawSpan)
        while try reader.next() != nil {}
        kind = reader.kind
        self.bytes = bytes
    }

    /// Takes an encoded form that was validated when `fields` were read from it.
    package init(checked bytes: [UInt8], by fields: borrowing CredentialFields) {
        self.bytes = bytes
        kind = fields.kind
    }

    /// Validates and copies an encoded form.
    package init(decoding bytes: RawSpan) throws(SchemaError) {
        try self.init(decoding: bytes.copied())
    }

    /// The stored form, which `init(decoding:)` decodes.
    package func encoded() -> [UInt8] { bytes }

    /// The encoded form, in place.
    package var encodedBytes: RawSpan {
        @_lifetime(borrow self)
        get { bytes.rawSpan }
    }
}

extension EntryFacts {
    /// Whether the entries are the same, wherever each was written.
    package static func == (left: EntryFacts, right: EntryFacts) -> Bool {
        // Compared word by word; the kind is one of the bytes.
        left.content.isEqual(to: right.content)
    }

    package func hash(into hasher: inout Hasher) {
        for byte in bytes[headByteCount...] { hasher.combine(byte) }
    }

    /// The encoded form without version and position.
    private var content: RawSpan {
        @_lifetime(borrow self)
        get { bytes.rawSpan.extracting(headByteCount...) }
    }

    private var headByteCount: Int { FactsFormat.headByteCount(version: bytes[0]) ?? 1 }
}

// MARK: - Position among the entries written with it

extension EntryFacts {
    /// The place of the entry among those that were written in the same transaction: in a document as it was read.
    ///
    /// Of two entries that are equally good, the one that was written later is chosen. Entries of one transaction have
    /// the same sequence, so their positions order them. 0 for an entry that is not stored.
    package var position: UInt32 { FactsFormat.position(in: bytes.rawSpan) }

    /// The same entry at a position.
    package func placed(at position: UInt32) -> EntryFacts {
        if position == self.position, bytes[0] == FactsFormat.version { return self }
        var placed = bytes
        if placed[0] != FactsFormat.version {
            placed.replaceSubrange(..<headByteCount, with: repeatElement(0, count: FactsFormat.headByteCount))
            placed[0] = FactsFormat.version
        }
        for index in 0..<4 { placed[1 + index] = UInt8(truncatingIfNeeded: position >> (8 * UInt32(index))) }
        return EntryFacts(written: placed, kind: kind)
    }
}

// MARK: - Position in the document

extension EntryFacts {
    /// The section, if it is a known one.
    package var section: DocumentSection? { reader?.section }

    /// Whether the section is `AccessToken_With_AuthScheme`, which exports write after `AccessToken`.
    package var isInSchemeSection: Bool {
        bytes[headByteCount + 1] == DocumentSection.accessTokenWithAuthScheme.rawValue
    }

    /// The name of the section to display: a lone surrogate is replaced.
    package var sectionName: UTF8Text { section?.name ?? UTF8Text(String(decoding: sectionBytes, as: UTF8.self)) }

    /// The bytes that identify the section.
    package var sectionBytes: [UInt8] {
        guard let reader else { return [] }
        if let section = reader.section { return section.name.bytes.copied() }
        return reader.sectionName.map { identity($0, reader) } ?? []
    }

    /// The key under which the entry was read, to display; nil if it has none. A missing key differs from the empty
    /// key.
    package var key: UTF8Text? { keyBytes.map { UTF8Text(String(decoding: $0, as: UTF8.self)) } }

    /// The bytes that identify the key in its section, with escapes resolved; nil if the entry has no key.
    package var keyBytes: [UInt8]? {
        guard let reader, let key = reader.key else { return nil }
        return identity(key, reader)
    }

    /// Passes the bytes of section and key to `body`, in place; nil if there is no key, or either contains escapes.
    package func withPlainPlace<Result, Failure: Error>(
        _ body: (_ section: RawSpan, _ key: RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard let reader, let section = reader.section, let key = reader.key, !key.hasEscapes else { return nil }
        let name = section.name
        return try body(name.bytes, reader.bytes.extracting(key.range))
    }

    /// Whether another entry has the same key, compared without copying. False if a key contains escapes.
    func hasKey(of other: EntryFacts) -> Bool {
        guard let reader, let key = reader.key, !key.hasEscapes else { return false }
        guard let others = other.reader, let wanted = others.key, !wanted.hasEscapes else { return false }
        return reader.bytes.extracting(key.range).isEqual(to: others.bytes.extracting(wanted.range))
    }

    private func identity(_ name: FactsReader.Name, _ reader: borrowing FactsReader) -> [UInt8] {
        JSONString.identity(of: reader.bytes.extracting(name.range), hasEscapes: name.hasEscapes)
    }
}

// MARK: - Members

extension EntryFacts {
    /// The text of the first of these members that has one. Null, absent, of another type, or text with an escaped lone
    /// surrogate all count as nil.
    package func text(_ names: MemberName...) -> UTF8Text? {
        first(names) { reader, member in reader.text(member) }
    }

    /// The text of a member, if it is text.
    package func text(_ name: MemberName) -> UTF8Text? {
        first(name) { reader, member in reader.text(member) }
    }

    /// Whole seconds of the first of these members that contains a time, as text or as a number.
    package func seconds(_ names: MemberName...) -> Int64? {
        first(names) { reader, member in reader.seconds(member) }
    }

    /// A Boolean, written as a JSON Boolean, as 0 or 1, or as text.
    package func boolean(_ name: MemberName) -> Bool? {
        switch rawJSON(name).map({ String(decoding: $0, as: UTF8.self).lowercased() }) {
        case "true", "1", "\"true\"", "\"1\"", "\"yes\"": true
        case "false", "0", "\"false\"", "\"0\"", "\"no\"": false
        default: nil
        }
    }

    /// The JSON text of a member as it was read; nil if it is absent or secret.
    package func rawJSON(_ name: MemberName) -> [UInt8]? {
        first(name) { reader, member in reader.json(member) }
    }

    /// Whether the member is present and not null. True for secrets.
    package func has(_ name: MemberName) -> Bool {
        first(name) { reader, member in !reader.isNull(member) } ?? false
    }

    /// Whether the member has a secret value: one that is neither null nor blank.
    package func hasSecret(_ name: MemberName) -> Bool {
        first(name) { _, member in member.form == .secret } ?? false
    }

    /// The known members that are present and not null, including secrets.
    var presentMembers: MemberSet {
        var present = MemberSet()
        guard var reader else { return present }
        while let member = try? reader.next() {
            if let name = member.name, !reader.isNull(member) { present.insert(name) }
        }
        return present
    }

    /// The number of values that the entry's ``SecretPayload`` has.
    package var secretCount: Int {
        if kind == .opaque { return 1 }
        var count = 0
        guard var reader else { return 0 }
        while let member = try? reader.next() {
            if member.form == .secret { count += 1 }
        }
        return count
    }

    /// Whether it is a credential without a token: the secret is missing, blank, or not one that a token can be.
    package var lacksToken: Bool { kind.isCredential && (hasOtherSecret || secretCount == 0) }

    /// Whether it is a credential whose secret is no token.
    var hasOtherSecret: Bool { storedKindNumber != kind.rawValue }

    /// The number of the kind in facts and records.
    package var storedKindNumber: UInt8 { bytes[headByteCount] }

    private func first<Value>(
        _ names: [MemberName],
        _ read: (borrowing FactsReader, FactsReader.Member) -> Value?
    ) -> Value? {
        for name in names {
            if let value = first(name, read) { return value }
        }
        return nil
    }

    private func first<Value>(
        _ name: MemberName,
        _ read: (borrowing FactsReader, FactsReader.Member) -> Value?
    ) -> Value? {
        guard var reader else { return nil }
        while let member = try? reader.next() {
            if member.name == name { return read(reader, member) }
        }
        return nil
    }

    /// A reader of the bytes; it exists because they were validated.
    var reader: FactsReader? {
        @_lifetime(borrow self)
        get { try? FactsReader(bytes.rawSpan) }
    }
}

// MARK: - Description

extension EntryFacts: CustomStringConvertible, CustomReflectable {
    /// Only kind and size: names and tenants must not be logged.
    package var description: String { "facts of one \(kind), \(bytes.count) bytes" }

    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension EntryFacts {
    /// A nested value; nil if it is absent, null or secret, or contains text that cannot be represented.
    func json(_ name: MemberName) -> JSONValue? {
        guard let raw = rawJSON(name), let value = try? JSONValue(parsing: raw.rawSpan), value != .null else {
            return nil
        }
        return value
    }
}
