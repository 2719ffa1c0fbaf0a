// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// Members of an entry that several programs edit, one by one.
extension EntryFacts {
    /// The name and the value of each member that is neither null nor secret, in comparable form: it does not depend on
    /// how an SDK escapes text or separates the parts of a value.
    package var comparableMembers: [(name: [UInt8], value: [UInt8])] {
        var members: [(name: [UInt8], value: [UInt8])] = []
        guard var reader else { return members }
        while let member = try? reader.next() {
            guard member.form != .secret, !reader.isNull(member) else { continue }
            members.append((EntryFacts.name(of: member, reader), EntryFacts.comparableValue(of: member, reader)))
        }
        return members
    }

    /// The same entry with some members of another one.
    ///
    /// - Parameters:
    ///   - other: an entry of the same kind.
    ///   - isTaken: whether to take the member of a name with its value, both in comparable form. Neither null nor
    ///     secret members are offered.
    /// - Returns: the merged entry, under the key of this one.
    package func taking(
        from other: EntryFacts,
        where isTaken: (_ name: [UInt8], _ value: [UInt8]) -> Bool
    ) -> EntryFacts {
        guard let section, let key, var reader = other.reader else { return self }
        var draft = EntryDraft(self)
        while let member = try? reader.next() {
            guard member.form != .secret, !reader.isNull(member) else { continue }
            let name = EntryFacts.name(of: member, reader)
            guard isTaken(name, EntryFacts.comparableValue(of: member, reader)) else { continue }
            let content = reader.bytes.extracting(member.range).copied()
            if let known = member.name {
                draft.set(known, form: member.form, content)
            } else if let unknown = member.unknownName {
                let written = reader.bytes.extracting(unknown.range).copied()
                draft.set(unknown: written, hasEscapes: unknown.hasEscapes, form: member.form, content)
            }
        }
        return draft.facts(kind: kind, section: section, key: key)
    }

    private static func name(of member: FactsReader.Member, _ reader: borrowing FactsReader) -> [UInt8] {
        if let name = member.name { return MemberNameTable.shared.bytes(of: name) }
        guard let name = member.unknownName else { return [] }
        return JSONString.identity(of: reader.bytes.extracting(name.range), hasEscapes: name.hasEscapes)
    }

    private static func comparableValue(of member: FactsReader.Member, _ reader: borrowing FactsReader) -> [UInt8] {
        // A text and another value never look the same: JSON does not begin with this byte.
        if let text = reader.text(member) { return [0] + text.bytes.copied() }
        let raw = reader.bytes.extracting(member.range)
        guard member.form == .rawJSON, let value = try? JSONValue(parsing: raw) else { return raw.copied() }
        var json: [UInt8] = []
        value.write(to: &json)
        return json
    }
}
