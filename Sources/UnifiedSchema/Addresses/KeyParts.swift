// SPDX-License-Identifier: Apache-2.0

/// The fields that the keys of an entry are made from, as stored: neither trimmed nor folded.
package struct KeyParts: Hashable, Sendable {
    package var kind: EntryKind
    package var homeAccountID: UTF8Text?
    package var environment: UTF8Text?
    package var clientID: UTF8Text?
    package var familyID: UTF8Text?
    package var realm: UTF8Text?
    package var target: UTF8Text?
    package var tokenType: UTF8Text?
    /// The parts that isolate the credential. Its extended key is the hash that Python and Go store.
    package var isolation = Isolation<UTF8Text?>.none
    /// The hash of the claims that JS stores beside them.
    package var requestedClaimsHash: UTF8Text?
    /// The components that .NET and Node store.
    package var extendedKey: ExtendedKey?
    package var mamEnrollmentIdentifier: UTF8Text?
    package var username: UTF8Text?
    package var authorityType: UTF8Text?
}

extension KeyParts {
    /// Empty parts of a kind, to be filled in.
    package init(kind: EntryKind) {
        self.init(kind: kind, homeAccountID: nil)
    }

    /// Reads the fields that the keys need, in one pass over the members.
    package init(_ facts: EntryFacts) {
        self.init(kind: facts.kind)
        guard var reader = facts.reader else { return }
        var alternateType: UTF8Text?
        var preferred = Isolation(repeating: PreferredMember())
        while let member = try? reader.next() {
            guard let name = member.name else { continue }
            switch name {
            case .homeAccountID: homeAccountID = reader.text(member)
            case .environment: environment = reader.text(member)
            case .clientID: clientID = reader.text(member)
            case .familyID: familyID = reader.text(member)
            case .realm: realm = reader.text(member)
            case .target: target = reader.text(member)
            case .tokenType: tokenType = reader.text(member)
            case .accessTokenType: alternateType = reader.text(member)
            case .requestedClaimsHash: requestedClaimsHash = reader.text(member)
            case .ext, .additionalCacheKeyComponents:
                extendedKey = reader.json(member).flatMap { ExtendedKey(json: $0) }
            case .mamEnrollmentIdentifier: mamEnrollmentIdentifier = reader.text(member)
            case .username: username = reader.text(member)
            case .authorityType: authorityType = reader.text(member)
            default:
                if let part = name.isolationPart { preferred[part].offer(name, reader.text(member)) }
            }
        }
        tokenType = tokenType ?? alternateType
        isolation = preferred.map { $0.value }
    }
}

extension KeyParts {
    /// The token type, trimmed and folded; nil for a bearer token.
    var boundTokenType: UTF8Text? {
        guard let type = tokenType?.normalized(), !type.isEmpty, type != CredentialFields.bearer else { return nil }
        return type
    }

    /// The family if there is one, otherwise the client: the owner of a refresh token.
    var familyOrClient: UTF8Text? { hasFamily ? familyID : clientID }

    var hasFamily: Bool { familyID.map { !$0.isBlank } ?? false }

    /// The hash of extra components, in the form of Python and Go or of .NET.
    func extensionHash(dotNet: Bool) -> UTF8Text? {
        if let extendedKey { return dotNet ? extendedKey.dotNetHash : extendedKey.hash }
        return isolation.extendedKey.flatMap { $0.isBlank ? nil : $0 }
    }
}
