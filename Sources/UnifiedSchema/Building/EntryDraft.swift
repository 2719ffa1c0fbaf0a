// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// The members of an entry that is being built: new members replace those of an old entry, whose order and unknown
/// members are preserved.
struct EntryDraft {
    private struct Member {
        let name: MemberName?
        let unknownName: (content: [UInt8], hasEscapes: Bool)?
        var form: FactsFormat.ValueForm
        var content: Content
    }

    private enum Content {
        /// The value in the old entry, at that range.
        case old(Range<Int>)
        case bytes([UInt8])
        /// Text that needs no escapes in a JSON string.
        case text(UTF8Text)

        var byteCount: Int {
            switch self {
            case .old(let range): range.count
            case .bytes(let bytes): bytes.count
            case .text(let text): text.byteCount
            }
        }
    }

    private var members: [Member] = []
    private let old: EntryFacts?

    init() {
        old = nil
        members.reserveCapacity(16)
    }

    /// Begins with all members of an old entry.
    init(_ old: EntryFacts) {
        self.old = old
        guard var reader = old.reader else { return }
        members.reserveCapacity(reader.remaining + 8)
        while let member = try? reader.next() {
            let unknownName = member.unknownName.map {
                (content: reader.bytes.extracting($0.range).copied(), hasEscapes: $0.hasEscapes)
            }
            members.append(
                Member(
                    name: member.name,
                    unknownName: unknownName,
                    form: member.form,
                    content: .old(member.range)
                )
            )
        }
    }

    /// Sets a member to text; nil leaves it as it is.
    mutating func set(_ name: MemberName, _ text: UTF8Text?) {
        guard let text else { return }
        if JSONString.isPlain(text.bytes) { return put(name, form: .plainString, content: .text(text)) }
        put(name, form: .escapedString, content: .bytes(JSONString.quotedContent(text).bytes))
    }

    /// Sets a member to a JSON value; nil leaves it as it is.
    mutating func set(_ name: MemberName, json: [UInt8]?) {
        guard let json else { return }
        put(name, form: .rawJSON, content: .bytes(json))
    }

    /// Records that the value of a member is in the payload.
    mutating func setSecret(_ name: MemberName) {
        put(name, form: .secret, content: .bytes([]))
    }

    /// Sets a member to a value as it is encoded.
    mutating func set(_ name: MemberName, form: FactsFormat.ValueForm, _ content: [UInt8]) {
        put(name, form: form, content: .bytes(content))
    }

    /// The same for a name without a number, given as the content of its JSON string.
    mutating func set(unknown name: [UInt8], hasEscapes: Bool, form: FactsFormat.ValueForm, _ content: [UInt8]) {
        let identity = JSONString.identity(of: name.rawSpan, hasEscapes: hasEscapes)
        let index = members.firstIndex { member in
            member.unknownName.map { JSONString.identity(of: $0.content.rawSpan, hasEscapes: $0.hasEscapes) }
                == identity
        }
        if let index {
            members[index].form = form
            members[index].content = .bytes(content)
        } else {
            let named = (content: name, hasEscapes: hasEscapes)
            members.append(Member(name: nil, unknownName: named, form: form, content: .bytes(content)))
        }
    }

    mutating func remove(_ name: MemberName) {
        members.removeAll { $0.name == name }
    }

    private mutating func put(_ name: MemberName, form: FactsFormat.ValueForm, content: Content) {
        for index in members.indices where members[index].name == name {
            members[index].form = form
            members[index].content = content
            return
        }
        members.append(Member(name: name, unknownName: nil, form: form, content: content))
    }

    /// The facts of the entry under a key.
    func facts(kind: EntryKind, section: DocumentSection, key: UTF8Text) -> EntryFacts {
        var capacity = 16 + key.byteCount
        for index in members.indices { capacity += members[index].content.byteCount + 6 }
        var writer = FactsWriter(kind: kind, reserving: capacity)
        writer.section(section)
        if JSONString.isPlain(key.bytes) {
            writer.key(content: key.bytes, hasEscapes: false)
        } else {
            writer.key(content: JSONString.quotedContent(key).bytes.rawSpan, hasEscapes: true)
        }
        writer.memberCount(members.count)
        for member in members {
            if let name = member.name {
                writer.name(name)
            } else if let unknown = member.unknownName {
                writer.name(content: unknown.content.rawSpan, hasEscapes: unknown.hasEscapes)
            }
            switch member.content {
            case _ where member.form == .secret: writer.secretValue()
            case .old(let range): if let old { writer.value(member.form, old.encodedBytes.extracting(range)) }
            case .bytes(let bytes): writer.value(member.form, bytes.rawSpan)
            case .text(let text): writer.value(member.form, text.bytes)
            }
        }
        if old?.hasOtherSecret == true { writer.setWithoutToken() }
        return EntryFacts(written: writer.bytes, kind: kind)
    }
}

extension EntryFacts {
    /// The key that its own members give it, in the form of new entries; nil for an entry that has no such key.
    package var ownKey: UTF8Text? { KeyParts(self).documentKey(.objectiveC) }

    /// The same entry with an issuer, in which its home account id is a subject.
    package func at(issuer: UTF8Text) -> EntryFacts {
        guard kind != .opaque, let section, let key else { return self }
        var draft = EntryDraft(self)
        draft.set(.issuer, issuer)
        return draft.facts(kind: kind, section: section, key: key)
    }

    /// The same entry under another key: section, members, their order and their text are unchanged.
    package func under(_ key: UTF8Text) -> EntryFacts {
        guard kind != .opaque, let section else { return self }
        return EntryDraft(self).facts(kind: kind, section: section, key: key)
    }
}
