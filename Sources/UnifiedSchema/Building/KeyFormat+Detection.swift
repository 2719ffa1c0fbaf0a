extension KeyFormat {
    /// The SDK that seems to have written an entry: what replaces it should look the same to that SDK.
    ///
    /// The key decides where it can: it is the one that only that SDK makes from these fields. Where several make it, or
    /// none (old keys, changed fields), members that only one of them writes decide; then the standard form.
    package init(detecting facts: EntryFacts) {
        let parts = KeyParts(facts)
        let stored = facts.keyBytes ?? []
        var candidates = KeyFormat.allCases.filter { format in
            parts.documentKey(format)?.bytes.isEqual(to: stored.raw) == true
        }
        if candidates.isEmpty { candidates = KeyFormat.allCases }
        if candidates.count == 1 {
            self = candidates[0]
            return
        }
        let hinted = KeyFormat.hints(facts, parts).first { candidates.contains($0) }
        self = hinted ?? (candidates.contains(.standard) ? .standard : candidates[0])
    }

    /// SDKs that the members speak for, the surest first.
    private static func hints(_ facts: EntryFacts, _ parts: KeyParts) -> [KeyFormat] {
        var hints: [KeyFormat] = []
        func hint(_ format: KeyFormat, _ names: MemberName...) {
            if names.contains(where: { facts.has($0) }) { hints.append(format) }
        }
        hint(.android, .accessTokenType, .applicationIdentifier, .mamEnrollmentIdentifier, .firstName, .avatarURL)
        hint(.javaScript, .requestedClaimsCamel, .requestedClaimsHash, .userAssertionHashCamel, .tenantProfiles)
        hint(.dotNet, .extExpiresOn, .ext, .persistedCacheParameters, .wamAccountIDs)
        hint(.go, .keyid)
        hint(.objectiveC, .applicationCacheIdentifier, .enrollmentID, .speInfo, .lastModificationApp)
        hint(.python, .keyID)
        if facts.kind.isRefreshToken { hint(.python, .lastModificationTime, .target) }
        if facts.kind.isCredential { hint(.dotNet, .clientInfo) }
        if facts.kind == .account, !facts.has(.clientInfo) { hint(.python, .accountSource) }
        if facts.kind == .accessToken, facts.has(.tokenType), parts.boundTokenType == nil {
            let scopes = parts.target.map { ScopeSet($0).scopes } ?? []
            // Both of them write "Bearer"; only Python sorts.
            hints.append(scopes == scopes.sorted() ? .python : .go)
        }
        return hints
    }
}
