// SPDX-License-Identifier: Apache-2.0

/// Which stored entries are the same credential as one that is being saved. This is decided by fields and never by
/// keys, so that it does not matter which SDK wrote them.
///
/// An import considers fewer entries the same: see ``EntryIdentity``.
package struct SameCredential: Sendable {
    package let saved: CredentialFields
    @usableFromInline let savedKind: EntryKind
    private let clouds: CloudTable

    package init(saved: consuming CredentialFields, clouds: CloudTable) {
        savedKind = saved.kind
        self.saved = saved
        self.clouds = clouds
    }

    /// Whether an entry of a kind may be replaced. Check this first, because it is the cheapest test and usually
    /// decides.
    @inlinable
    package func mayReplace(_ kind: EntryKind) -> Bool {
        if savedKind.isAccessToken { return kind.isAccessToken }
        return kind == savedKind || savedKind == .refreshToken && kind == .familyRefreshToken
    }

    /// Whether a stored entry of the same partition is replaced by the saved one.
    ///
    /// - An access token is replaced by one for the same client, realm, type and key that shares a scope with it,
    ///   OpenID scopes not counted. Isolated tokens are replaced only by tokens with the same isolation.
    /// - A refresh token is replaced by one of the same client. A family's token replaces all of that family and the
    ///   client's own, because an SDK that had both would redeem the old one first.
    /// - An id token is replaced by one of the same client and realm.
    package func isReplaced(_ stored: CredentialFields) -> Bool {
        guard mayReplace(stored.kind), clouds.areAliases(stored.environment, saved.environment) else {
            return false
        }
        switch saved.kind {
        case .accessToken, .accessTokenWithAuthScheme:
            return stored.clientID == saved.clientID && isSameRealm(stored) && stored.tokenType == saved.tokenType
                && stored.keyID == saved.keyID && stored.isIsolated(like: saved) && sharesScope(stored)
        case .refreshToken: return replacesRefreshToken(stored)
        case .idToken: return stored.clientID == saved.clientID && isSameRealm(stored)
        case .account: return isSameRealm(stored)
        case .appMetadata: return stored.clientID == saved.clientID
        default: return false
        }
    }

    private func replacesRefreshToken(_ stored: CredentialFields) -> Bool {
        guard stored.isIsolated(like: saved) else { return false }
        // A token without a realm is valid for every realm.
        if let realm = clouds.realm(ofRefreshToken: stored), let own = clouds.realm(ofRefreshToken: saved), realm != own
        {
            return false
        }
        if let family = saved.familyID {
            return stored.sharingFamily == family || stored.clientID == saved.clientID
        }
        return stored.clientID == saved.clientID && !stored.isFamilyToken
    }

    private func sharesScope(_ stored: CredentialFields) -> Bool {
        guard let target = stored.target, let own = saved.target else { return false }
        return target.intersects(own)
    }

    /// Whether the realm is the same, even if an SDK wrote a word that means it.
    private func isSameRealm(_ stored: CredentialFields) -> Bool {
        if stored.realm == saved.realm { return true }
        guard let realm = stored.realm, let own = saved.realm, TenantWord(realm.bytes) != nil else { return false }
        let home = saved.homeAccountID.flatMap { TenantWord.homeTenant(of: $0) }
        return TenantRealms(of: own, home: home) { $0 }.contains(realm)
    }
}

extension CredentialFields {
    /// Whether two entries have the same isolation, or neither has any.
    package func isIsolated(like other: CredentialFields) -> Bool {
        // Usually neither is isolated.
        if isolation.isNone || other.isolation.isNone { return isolation.isNone && other.isolation.isNone }
        return isolation.comparable == other.isolation.comparable
    }
}

extension CloudTable {
    /// The realm to which a refresh token is bound. Microsoft's tokens have none, even if an SDK recorded one; other
    /// issuers' tokens have one.
    package func realm(ofRefreshToken token: CredentialFields) -> UTF8Text? {
        guard let realm = token.realm, !isMicrosoft(token.environment) else { return nil }
        return realm
    }
}
