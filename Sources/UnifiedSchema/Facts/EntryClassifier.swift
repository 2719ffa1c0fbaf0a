// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// Determines the kind of an entry, or that it is unknown.
///
/// An entry is known if the members that decide its matches are reliable: each is text or null and can be decoded, its
/// type string names a kind that belongs in the section, and the required members are present. Any doubt makes it
/// opaque: preserved and exported, never matched, and entirely secret.
///
/// The secret of a credential may be missing, blank, or not one that a token can be, and if it is certain whose it is,
/// other members may be unreliable: then the entry is known, so that it is removed with its account, but it is no
/// credential for lookups (`StoredRecord.lacksToken`).
enum EntryClassifier {
    /// The kind, and whether the members that decide its matches are reliable.
    static func kind(
        of members: [EntryMembers.Member],
        in json: RawSpan,
        section: DocumentSection
    ) -> (kind: EntryKind, isReliable: Bool)? {
        var isReliable = true
        guard let kind = kind(of: members, in: json, section: section, &isReliable) else { return nil }
        return (kind, isReliable)
    }

    private static func kind(
        of members: [EntryMembers.Member],
        in json: RawSpan,
        section: DocumentSection,
        _ isReliable: inout Bool
    ) -> EntryKind? {
        var present = MemberSet()
        var type: EntryMembers.Member?
        for member in members {
            guard let name = member.name else {
                // The name is escaped and spells a known member: other readers would recognise it, so it must not be
                // missed.
                if member.nameLocation.hasEscapes, spellsKnownName(member, in: json) { return nil }
                continue
            }
            if member.form == .null { continue }
            if name.decidesIdentity || name == .legacyResource && section.defaultKind.isAccessToken {
                if !isText(member, in: json) {
                    guard section.defaultKind.isCredential, !name.saysWhose else { return nil }
                    isReliable = false
                    continue
                }
                if name == .credentialType { type = member }
            }
            if case .components = name.use, member.form != .object { isReliable = false }
            if member.isString, !json.extracting(member.content).trimmed().isEmpty { present.insert(name) }
        }
        if !isReliable, !section.defaultKind.isCredential || !present.contains(.homeAccountID) { return nil }
        switch section {
        case .account:
            let isKnown = present.contains(.homeAccountID) || present.contains(.username)
            return isKnown || present.contains(.localAccountID) ? .account : nil
        case .appMetadata:
            return present.contains(.clientID) && present.contains(.environment) ? .appMetadata : nil
        case .accountMetadata:
            return present.contains(.clientID) ? .accountMetadata : nil
        case .accessToken, .refreshToken, .idToken, .accessTokenWithAuthScheme:
            guard present.contains(.clientID), present.contains(.environment) else { return nil }
            guard let type else { return section.defaultKind }
            guard let kind = self.kind(type, in: json, section), section.admits(kind) else { return nil }
            return isComplete(kind, present: present, members: members, json: json) ? kind : nil
        }
    }

    /// The kind that a type string names. Usually that is the kind of the section, as every SDK spells it.
    private static func kind(_ type: EntryMembers.Member, in json: RawSpan, _ section: DocumentSection) -> EntryKind? {
        let usual = section.defaultKind
        if let spelling = usual.typeString, spelling.bytes.isEqual(to: json.extracting(type.content)) { return usual }
        return text(type, in: json).flatMap { EntryKind(typeString: $0) }
    }

    /// Whether the token has all members that MSAL for Objective-C requires to load it.
    private static func isComplete(
        _ kind: EntryKind,
        present: MemberSet,
        members: [EntryMembers.Member],
        json: RawSpan
    ) -> Bool {
        switch kind {
        case .boundRefreshToken:
            return present.contains(.boundDeviceID)
        case .primaryRefreshToken:
            if present.contains(.sessionKey) { return true }
            // A session key that is stored elsewhere is not in the entry.
            guard let type = members.first(where: { $0.name == .externalKeyType }), type.form != .null else {
                return false
            }
            let content = type.isString ? type.content : type.range
            return Seconds.parse(json.extracting(content)).map { $0 != 0 } ?? false
        default:
            return true
        }
    }

    /// Whether a value is a string that can be decoded.
    private static func isText(_ member: EntryMembers.Member, in json: RawSpan) -> Bool {
        switch member.form {
        case .plainString: true
        case .escapedString: text(member, in: json) != nil
        default: false
        }
    }

    private static func text(_ member: EntryMembers.Member, in json: RawSpan) -> UTF8Text? {
        JSONString.text(of: json.extracting(member.content), hasEscapes: member.form == .escapedString)
    }

    private static func spellsKnownName(_ member: EntryMembers.Member, in json: RawSpan) -> Bool {
        let name = JSONString.identity(of: json.extracting(member.nameLocation.range), hasEscapes: true)
        return MemberNameTable.shared.name(name.rawSpan) != nil
    }
}

extension MemberName {
    /// Whether it says whose a credential is, or what it is.
    fileprivate var saysWhose: Bool {
        switch self {
        case .homeAccountID, .environment, .clientID, .credentialType: true
        default: false
        }
    }
}

extension DocumentSection {
    /// The kind of an entry without a type string.
    var defaultKind: EntryKind {
        switch self {
        case .accessToken: .accessToken
        case .refreshToken: .refreshToken
        case .idToken: .idToken
        case .account: .account
        case .appMetadata: .appMetadata
        case .accessTokenWithAuthScheme: .accessTokenWithAuthScheme
        case .accountMetadata: .accountMetadata
        }
    }

    /// Whether a credential of that kind belongs in the section.
    func admits(_ kind: EntryKind) -> Bool {
        switch self {
        case .accessToken, .accessTokenWithAuthScheme: kind.isAccessToken
        case .refreshToken: kind.isRefreshToken
        case .idToken: kind.isIDToken
        case .account, .appMetadata, .accountMetadata: false
        }
    }
}
