internal import UnifiedSchema

/// Which stored entries are the same credential as one that is saved: told by fields, never by keys, so that every
/// spelling of every SDK meets.
struct SameCredential {
    let saved: CredentialFields
    let clouds: CloudTable

    /// Whether a stored entry of the same partition is replaced by the saved one.
    ///
    /// - An access token by one for the same client, realm, type and key with which it shares a scope; OpenID scopes do
    ///   not count. Tokens that are kept apart, by claims and such, are replaced by those that are kept apart by the same.
    /// - A refresh token by one of the same client. One of a family takes the place of all of that family, and of the
    ///   client's own ones: an SDK that keeps both would spend the old one first.
    /// - An id token by one of the same client and realm.
    func isReplaced(_ entry: StoredEntry) -> Bool {
        // Asked first, without looking at the others: as a rule it decides.
        guard entry.fields.kind.canBeReplaced(by: saved.kind) else { return false }
        return isReplaced(entry.fields)
    }

    private func isReplaced(_ stored: CredentialFields) -> Bool {
        guard clouds.areAliases(stored.environment, saved.environment) else { return false }
        if saved.kind.isAccessToken {
            return stored.kind.isAccessToken && stored.clientID == saved.clientID && isSameRealm(stored)
                && stored.tokenType == saved.tokenType && stored.keyID == saved.keyID && stored.isKeptApart(like: saved)
                && sharesScope(stored)
        }
        switch saved.kind {
        case .refreshToken: return replacesRefreshToken(stored)
        case .idToken: return stored.kind == .idToken && stored.clientID == saved.clientID && isSameRealm(stored)
        case .account: return stored.kind == .account && isSameRealm(stored)
        case .appMetadata: return stored.kind == .appMetadata && stored.clientID == saved.clientID
        default: return false
        }
    }

    private func replacesRefreshToken(_ stored: CredentialFields) -> Bool {
        guard stored.kind == .refreshToken || stored.kind == .familyRefreshToken, stored.isKeptApart(like: saved)
        else { return false }
        // Microsoft's refresh tokens serve every tenant; others have the realm of their issuer.
        if let realm = stored.realm, let own = saved.realm, realm != own, !clouds.isMicrosoft(saved.environment) {
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
    func isSameRealm(_ stored: CredentialFields) -> Bool {
        if stored.realm == saved.realm { return true }
        guard let realm = stored.realm, let own = saved.realm else { return false }
        let home = saved.homeAccountID.flatMap { TenantWord.homeTenant(of: $0) }
        return TenantRealms(of: own, home: home) { $0 }.contains(realm)
    }
}

extension EntryKind {
    /// Whether an entry of the kind can be the same credential as one of another: asked first, as it costs least.
    fileprivate func canBeReplaced(by saved: EntryKind) -> Bool {
        if saved.isAccessToken { return isAccessToken }
        return self == saved || saved == .refreshToken && self == .familyRefreshToken
    }
}

extension CredentialFields {
    /// Whether two entries are kept apart from others by the same, or both by nothing.
    func isKeptApart(like other: CredentialFields) -> Bool {
        // As a rule nothing keeps them apart.
        if isolation.isNone || other.isolation.isNone { return isolation.isNone && other.isolation.isNone }
        return isolation.comparable == other.isolation.comparable
    }
}
