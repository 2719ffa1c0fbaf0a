/// The members of an entry while it is put together: ours over those of an old entry, whose order and unknown members
/// stay.
struct EntryDraft {
    private struct Member {
        let name: MemberName?
        let unknownName: (content: [UInt8], hasEscapes: Bool)?
        var form: FactsFormat.ValueForm
        var content: [UInt8]
    }

    private var members: [Member] = []

    init() {}

    /// Begins with all members of an old entry.
    init(_ old: EntryFacts) {
        guard var reader = old.reader else { return }
        while let member = try? reader.next() {
            let unknownName = member.unknownName.map {
                (content: reader.bytes.extracting($0.range).copied(), hasEscapes: $0.hasEscapes)
            }
            members.append(
                Member(
                    name: member.name,
                    unknownName: unknownName,
                    form: member.form,
                    content: reader.bytes.extracting(member.range).copied()
                )
            )
        }
    }

    /// Sets a member to text; nil leaves it as it is.
    mutating func set(_ name: MemberName, _ text: UTF8Text?) {
        guard let text else { return }
        let content = JSONString.quotedContent(text)
        put(name, content.hasEscapes ? .escapedString : .plainString, content.bytes)
    }

    /// Sets a member to a time, as decimal text; nil leaves it as it is.
    mutating func set(_ name: MemberName, seconds: Int64?) {
        set(name, seconds.map { UTF8Text(String($0)) })
    }

    /// Sets a member to a JSON value; nil leaves it as it is.
    mutating func set(_ name: MemberName, json: [UInt8]?) {
        guard let json else { return }
        put(name, .rawJSON, json)
    }

    /// Says that the value of a member is in the payload.
    mutating func setSecret(_ name: MemberName) {
        put(name, .secret, [])
    }

    mutating func remove(_ name: MemberName) {
        members.removeAll { $0.name == name }
    }

    private mutating func put(_ name: MemberName, _ form: FactsFormat.ValueForm, _ content: [UInt8]) {
        let member = Member(name: name, unknownName: nil, form: form, content: content)
        if let index = members.firstIndex(where: { $0.name == name }) {
            members[index] = member
        } else {
            members.append(member)
        }
    }

    /// The facts of the entry under a key.
    func facts(kind: EntryKind, section: DocumentSection, key: UTF8Text) -> EntryFacts {
        var writer = FactsWriter(kind: kind, reserving: members.reduce(128) { $0 + $1.content.count + 4 })
        writer.section(section)
        let keyContent = JSONString.quotedContent(key)
        writer.key(content: keyContent.bytes.raw, hasEscapes: keyContent.hasEscapes)
        writer.memberCount(members.count)
        for member in members {
            if let name = member.name {
                writer.name(name)
            } else if let unknown = member.unknownName {
                writer.name(content: unknown.content.raw, hasEscapes: unknown.hasEscapes)
            }
            if member.form == .secret {
                writer.secretValue()
            } else {
                writer.value(member.form, member.content.raw)
            }
        }
        return EntryFacts(written: writer.bytes, kind: kind)
    }
}
