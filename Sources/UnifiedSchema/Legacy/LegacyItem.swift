// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// Reads an item of an ADAL cache: the members that ADAL for Python writes for each token, and those that the Azure CLI
/// adds for service principals.
///
/// Such items are never written again, so an invalid item is rejected rather than preserved.
enum LegacyItem {
    /// The section of their addresses. No MSAL document has a section of that name.
    static let section: UTF8Text = "accessTokens.json of ADAL"

    /// Validates an item and encodes its facts.
    ///
    /// - Parameters:
    ///   - json: the bytes that the item was read from.
    ///   - range: the range of the item.
    ///   - members: its members.
    /// - Returns: the facts, and the ranges of the tokens.
    /// - Throws: `invalidEntry` if it has no token, or does not identify its owner.
    static func assemble(
        _ json: RawSpan,
        range: Range<Int>,
        members: [EntryMembers.Member]
    ) throws(SchemaError) -> ParsedEntry {
        let start = range.lowerBound
        for member in members {
            // If an escaped name spelled a secret member, its value would not count as secret.
            if member.nameLocation.hasEscapes, spellsKnownName(member, in: json) {
                throw SchemaError(.invalidEntry, at: start, rule: "the name of a known member must not contain escapes")
            }
            guard let name = member.name, name.mustBeText, member.form != .null else { continue }
            guard text(member, in: json) != nil else {
                throw SchemaError(.invalidEntry, at: start, rule: "\(name.text) must be text")
            }
            guard !name.isLegacyToken || isToken(member, in: json) else {
                throw SchemaError(.invalidEntry, at: start, rule: "\(name.text) has characters that no token has")
            }
        }
        let identity = try identity(members, json, at: start)
        return EntryMembers.result(
            of: .legacySingleResourceToken,
            json,
            members,
            at: EntryLocation(
                section: nil,
                sectionName: JSONString.quotedContent(section),
                key: .apart(JSONString.quotedContent(identity))
            ),
            // Only the refresh token is ever returned to a client.
            token: .legacyRefreshToken
        )
    }

    /// The identity of an item, as in ADAL: authority, resource, client and user, compared exactly.
    private static func identity(
        _ members: [EntryMembers.Member],
        _ json: RawSpan,
        at start: Int
    ) throws(SchemaError) -> UTF8Text {
        func value(_ name: MemberName) -> UTF8Text? {
            let member = members.first { $0.name == name }
            return member.flatMap { text($0, in: json) }.flatMap { $0.isBlank ? nil : $0 }
        }
        if let principal = value(.legacyServicePrincipalID) {
            return key("service principal", value(.legacyServicePrincipalTenant), principal)
        }
        guard let authority = value(.legacyAuthorityField), let client = value(.legacyClientIDField) else {
            throw SchemaError(.invalidEntry, at: start, rule: "an ADAL item must have _authority and _clientId")
        }
        guard value(.legacyAccessToken) != nil || value(.legacyRefreshToken) != nil else {
            throw SchemaError(.invalidEntry, at: start, rule: "an ADAL item must have a token")
        }
        return key(authority, value(.legacyResource), client, value(.legacyUserID))
    }

    private static func key(_ parts: UTF8Text?...) -> UTF8Text {
        UTF8Text(parts.map { $0?.string ?? "" }.joined(separator: "|"))
    }

    private static func text(_ member: EntryMembers.Member, in json: RawSpan) -> UTF8Text? {
        guard member.isString else { return nil }
        return JSONString.text(of: json.extracting(member.content), hasEscapes: member.form == .escapedString)
    }

    private static func isToken(_ member: EntryMembers.Member, in json: RawSpan) -> Bool {
        member.content.isEmpty || member.isToken(in: json)
    }

    private static func spellsKnownName(_ member: EntryMembers.Member, in json: RawSpan) -> Bool {
        let name = JSONString.identity(of: json.extracting(member.nameLocation.range), hasEscapes: true)
        return MemberNameTable.shared.name(name.rawSpan) != nil
    }
}

extension MemberName {
    fileprivate var isLegacyToken: Bool { self == .legacyAccessToken || self == .legacyRefreshToken }

    /// Whether an ADAL item is invalid if this member is neither text nor null.
    fileprivate var mustBeText: Bool {
        switch self {
        case .legacyAccessToken, .legacyRefreshToken, .legacyAuthorityField, .legacyClientIDField, .legacyResource,
            .legacyUserID, .legacyFamilyID, .legacyServicePrincipalID, .legacyServicePrincipalTenant:
            true
        default: false
        }
    }
}
