/// Which stored entries are the same credential as one that is saved: told by fields, never by keys, so that every
/// spelling of every SDK meets.
///
/// An import takes less for the same: see ``EntryIdentity``.
package struct SameCredential: Sendable {
    package let saved: CredentialFields
    @usableFromInline let savedKind: EntryKind
    private let clouds: CloudTable

    package init(saved: consuming CredentialFields, clouds: CloudTable) {
        savedKind = saved.kind
        self.saved = saved
        self.clouds = clouds
    }

    /// Whether an entry of a kind may be replaced: to be asked first, since it costs least and as a rule decides.
    @inlinable
    package func mayReplace(_ kind: EntryKind) -> Bool {
        if savedKind.isAccessToken { return kind.isAccessToken }
        return kind == savedKind || savedKind == .refreshToken && kind == .familyRefreshToken
    }

    /// Whether a stored entry of the same partition is replaced by the saved one.
    ///
    /// - An access token by one for the same client, realm, type and key with which it shares a scope; OpenID scopes do
    ///   not count. Tokens that are kept apart, by claims and such, are replaced by those that are kept apart by the
    ///   same.
    /// - A refresh token by one of the same client. One of a family takes the place of all of that family, and of the
    ///   client's own ones: an SDK that keeps both would spend the old one first.
    /// - An id token by one of the same client and realm.
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
        // One without a realm is as good for each.
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

    /// Whether the realm is the same, also where an SDK wrote a word that stands for it.
    private func isSameRealm(_ stored: CredentialFields) -> Bool {
        if stored.realm == saved.realm { return true }
        guard let realm = stored.realm, let own = saved.realm else { return false }
        let home = saved.homeAccountID.flatMap { TenantWord.homeTenant(of: $0) }
        return TenantRealms(of: own, home: home) { $0 }.contains(realm)
    }
}

extension CredentialFields {
    /// Whether two entries are kept apart from others by the same, or both by nothing.
    package func isIsolated(like other: CredentialFields) -> Bool {
        // As a rule nothing keeps them apart.
        if isolation.isNone || other.isolation.isNone { return isolation.isNone && other.isolation.isNone }
        return isolation.comparable == other.isolation.comparable
    }
}

extension CloudTable {
    /// The realm that a refresh token is bound to. Microsoft's have none, whatever an SDK wrote down; those of other
    /// issuers do.
    package func realm(ofRefreshToken token: CredentialFields) -> UTF8Text? {
        guard let realm = token.realm, !isMicrosoft(token.environment) else { return nil }
        return realm
    }
}
