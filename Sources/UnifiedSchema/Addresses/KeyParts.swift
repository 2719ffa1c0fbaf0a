/// What the addresses of an entry are made from, as it stands in the entry: neither trimmed nor folded.
package struct KeyParts: Hashable, Sendable {
    package var kind: EntryKind
    package var homeAccountID: UTF8Text?
    package var environment: UTF8Text?
    package var clientID: UTF8Text?
    package var familyID: UTF8Text?
    package var realm: UTF8Text?
    package var target: UTF8Text?
    package var tokenType: UTF8Text?
    package var requestedClaims: UTF8Text?
    /// JS keeps its hash of the claims beside them.
    package var requestedClaimsHash: UTF8Text?
    /// The hash that Python and Go keep.
    package var extCacheKey: UTF8Text?
    /// The components that .NET keeps.
    package var extendedKey: ExtendedKey?
    package var applicationIdentifier: UTF8Text?
    package var mamEnrollmentIdentifier: UTF8Text?
    package var username: UTF8Text?
    package var authorityType: UTF8Text?

    package init(kind: EntryKind) {
        self.kind = kind
    }

    package init(_ facts: EntryFacts) {
        kind = facts.kind
        homeAccountID = facts.text(.homeAccountID)
        environment = facts.text(.environment)
        clientID = facts.text(.clientID)
        familyID = facts.text(.familyID)
        realm = facts.text(.realm)
        target = facts.text(.target)
        tokenType = facts.text(.tokenType, .accessTokenType)
        requestedClaims = facts.text(.requestedClaims, .requestedClaimsCamel)
        requestedClaimsHash = facts.text(.requestedClaimsHash)
        extCacheKey = facts.text(.extCacheKey)
        extendedKey = facts.rawJSON(.ext).flatMap { ExtendedKey(json: $0) }
        applicationIdentifier = facts.text(.applicationCacheIdentifier, .applicationIdentifier)
        mamEnrollmentIdentifier = facts.text(.mamEnrollmentIdentifier)
        username = facts.text(.username)
        authorityType = facts.text(.authorityType)
    }
}

extension KeyParts {
    /// The token type, trimmed and folded; nil for a bearer token.
    var boundTokenType: UTF8Text? {
        guard let type = tokenType?.normalized(), !type.isEmpty, type != CredentialFields.bearer else { return nil }
        return type
    }

    /// The family where there is one, else the client: whom a refresh token belongs to.
    var familyOrClient: UTF8Text? { hasFamily ? familyID : clientID }

    var hasFamily: Bool { familyID.map { !$0.isBlank } ?? false }

    /// The hash of extra components, in the way of Python and Go or in that of .NET.
    func extensionHash(dotNet: Bool) -> UTF8Text? {
        if let extendedKey { return dotNet ? extendedKey.dotNetHash : extendedKey.hash }
        return extCacheKey.flatMap { $0.isBlank ? nil : $0 }
    }
}
