// SPDX-License-Identifier: Apache-2.0

@testable import UnifiedSchema

/// One member of an entry.
struct EntryMember: Hashable {
    /// The name, with escapes resolved.
    let name: UTF8Text
    /// Nil for a member that no SDK is known to write.
    let known: MemberName?
    /// Whether the value is in the payload.
    let isSecret: Bool
    /// The JSON text of the value as it was read; nil for a secret.
    let json: UTF8Text?
}

extension EntryFacts {
    /// All members in order. Empty for an opaque entry.
    var members: [EntryMember] {
        guard var reader else { return [] }
        var members: [EntryMember] = []
        while let member = try? reader.next() {
            let unknown = member.unknownName.map {
                JSONString.identity(of: reader.bytes.extracting($0.range), hasEscapes: $0.hasEscapes)
            }
            let name = member.name.map { "\($0.text)" } ?? String(decoding: unknown ?? [], as: UTF8.self)
            let content = UTF8Text(utf8: reader.bytes.extracting(member.range))
            let json: UTF8Text? =
                switch member.form {
                case .secret: nil
                case .rawJSON: content
                case .plainString, .escapedString: content.map { UTF8Text("\"\($0)\"") }
                }
            members.append(
                EntryMember(name: UTF8Text(name), known: member.name, isSecret: member.form == .secret, json: json)
            )
        }
        return members
    }
}
