// SPDX-License-Identifier: Apache-2.0

extension ReferenceModel {
    /// The one of several entries that are equally good: what they say of their age decides, then the access tokens beside
    /// them, then whether they name a family, then which of them was written later.
    func chosen(_ entries: [ModelEntry]) -> ModelEntry? {
        entries.max { precedes($1, $0) }
    }

    /// Whether the first of two entries is chosen.
    func precedes(_ one: ModelEntry, _ other: ModelEntry) -> Bool {
        let (ages, others) = (ages(one), ages(other))
        if ages != others { return others.lexicographicallyPrecedes(ages) }
        if naming(one) != naming(other) { return naming(one) > naming(other) }
        return (one.commit, one.position) > (other.commit, other.position)
    }

    /// Its own time, and that of the newest access token of the same client under the same host.
    private func ages(_ entry: ModelEntry) -> [Int64] {
        if let time = entry.time { return [time, .min] }
        guard entry.isRefreshToken || entry.isIDToken || entry.isAccount else { return [.min, .min] }
        let host = { (entry: ModelEntry) in folded(entry.text("environment") ?? "") }
        let siblings = entries.filter { other in
            other.isAccessToken && !other.isBlank && other.account == entry.account && host(other) == host(entry)
                && (entry.isAccount || other.client == entry.client)
        }
        return [.min, siblings.compactMap(\.time).max() ?? .min]
    }

    private func naming(_ entry: ModelEntry) -> Int {
        if entry.isRefreshToken { return entry.family == nil ? 2 : 1 }
        if entry.isAppMetadata { return entry.family == nil ? 0 : 1 }
        // Exports write that section later.
        if entry.isAccessToken { return entry.section == "AccessToken" ? 0 : 1 }
        // What an account's entry does not say, another one does.
        return 0
    }

    // MARK: - Names

    /// Those of several accounts with one username that a lookup means: by its cloud and tenant, then by whom the client
    /// did not sign out and signed in, then those with a home account id. What none of them meets does not count.
    func narrowed(_ accounts: Set<String>, by lookup: Lookup, client: String) -> Set<String> {
        var left = accounts
        func hasID(_ account: String) -> Bool {
            entries.contains { $0.isAccount && $0.account == account && !$0.isNameless }
        }
        // The part of an account without an id is signed out with the account.
        func isPartOfSignedOut(_ account: String) -> Bool {
            !hasID(account) && left.contains { hasID($0) && state(client, $0) == .signedOut }
        }
        let conditions: [(String) -> Bool] = [
            { !ofCloud(lookup, $0).isEmpty },
            { account in
                guard let tenant = lookup.tenant.map(folded), !tenant.isEmpty else { return true }
                return ofCloud(lookup, account).contains { entry in
                    isNoted(tenant, of: entry) || realms(tenant, home: home(of: account)).contains(entry.realm)
                }
            },
            { !isPartOfSignedOut($0) },
            { state(client, $0) != .signedOut },
            { account in
                state(client, account) == .signedIn || !refreshTokens(of: client, account).family.isEmpty
                    || entries.contains {
                        $0.isCredential && !$0.isBlank && $0.account == account && $0.client == client
                    }
            },
            hasID,
        ]
        for isMet in conditions where left.count > 1 {
            let meeting = left.filter(isMet)
            if !meeting.isEmpty { left = meeting }
        }
        return left
    }

    private func ofCloud(_ lookup: Lookup, _ account: String) -> [ModelEntry] {
        entries.filter { entry in
            entry.isAccount && entry.account == account
                && (lookup.environment.map(Clouds.cloud) ?? entry.cloud) == entry.cloud
        }
    }

    // MARK: - Tokens without a home account id

    /// Whether a token without a home account id is a person's, so that an application must not get it.
    func isOfPerson(_ token: ModelEntry) -> Bool {
        guard token.account.isEmpty, token.members["application_token"] == nil else { return false }
        if !token.scopes.isDisjoint(with: ["openid", "offline_access"]) { return true }
        return entries.contains { other in
            (other.isAccount || (other.isRefreshToken || other.isIDToken) && other.client == token.client)
                && !other.isBlank && other.isNameless && other.cloud == token.cloud
        }
    }
}
