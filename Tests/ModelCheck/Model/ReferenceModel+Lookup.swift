// SPDX-License-Identifier: Apache-2.0

extension ReferenceModel {
    static let openID: Set<String> = ["openid", "profile", "email", "address", "phone", "offline_access"]

    func decision(_ lookup: Lookup, client: String) -> ExpectedDecision {
        let asked = Set(lookup.scopes.map(folded)).subtracting([""])
        guard !asked.isEmpty else { return .refused("invalidRequest") }
        // An empty tenant is that of an issuer without a path.
        if lookup.isOfApplication, folded(lookup.tenant ?? "").isEmpty, lookup.environment == nil {
            return .refused("invalidRequest")
        }

        var account = ""
        switch lookup.subject {
        case .application: break
        case .account(let id): account = isAnythingStored(of: folded(id)) ? folded(id) : namelessOr(folded(id))
        case .username(let username):
            let named = Set(
                entries.filter { $0.isAccount && !$0.account.isEmpty && $0.username == folded(username) }.map(\.account)
            )
            let meant = narrowed(named, by: lookup, client: client)
            guard let only = meant.first else { return .interaction("accountUnknown") }
            if meant.allSatisfy({ state(client, $0) == .signedOut }) { return .interaction("signedOut") }
            guard meant.count == 1 else { return .interaction("severalAccounts") }
            account = only
        }
        if !lookup.isOfApplication, state(client, account) == .signedOut { return .interaction("signedOut") }

        let tokens = entries.filter { $0.isAccessToken && !$0.isBlank }
            .filter { $0.account == account && $0.client == client }
            .filter { lookup.environment.map(Clouds.cloud) ?? $0.cloud == $0.cloud }
            .filter { token in fits(token, lookup, account: account) }
            .filter { serves($0.scopes, asked) }
            .filter { $0.scheme == lookup.scheme }
            .filter { lookup.keyID == nil || $0.keyID == lookup.keyID }
            .filter { $0.isolation == lookup.isolation }
            // One who names the assertion asks for a person's token.
            .filter { !lookup.isOfApplication || !$0.assertion.isEmpty || !isOfPerson($0) }
        var good = longestLived(tokens.filter { !isExpired($0, buffer: lookup.buffer) }, by: "expires_on")
        var note = { (token: ModelEntry) in shouldRenew(token) ? " renew" : "" }
        if good.isEmpty, lookup.serverIsUnavailable {
            good = longestLived(tokens.filter { isInExtendedLife($0, lookup) }, by: "extended_expires_on")
            note = { _ in " extended renew" }
        }
        if !good.isEmpty, !lookup.forceRefresh, !lookup.claims { return .valid(good.map { $0.secret + note($0) }) }
        if lookup.isOfApplication { return .interaction("applicationTokenMissing") }

        let refreshTokens = refreshTokens(of: client, account)
        for choice in [refreshTokens.own, refreshTokens.family] {
            let usable = choice.filter { lookup.environment.map(Clouds.cloud) ?? $0.cloud == $0.cloud }
                .filter { fits(refreshToken: $0, lookup) && !hasEnded(refreshToken: $0) }
            if usable.isEmpty { continue }
            // One that is kept apart by the same goes before a plain one.
            let apart = usable.filter { lookup.extendedKey != nil && $0.extendedKey != nil }
            let beside = lookup.claims || good.isEmpty ? nil : good.map(\.secret)
            return .renew([chosen(apart.isEmpty ? usable : apart)].compactMap { $0?.secret }, stillValid: beside)
        }
        if lost.contains(Membership(client: client, account: account)) { return .interaction("refreshTokenLost") }
        guard isKnown(account) else { return .interaction("accountUnknown") }
        if lookup.claims { return .interaction("claimsRequested") }
        return .interaction(tokens.isEmpty || lookup.forceRefresh ? "refreshTokenMissing" : "tokensExpired")
    }

    /// An id may be the username of an account that has no other, unless that is a part of one with an id.
    private func namelessOr(_ id: String) -> String {
        let having = Set(entries.filter { $0.isAccount && $0.username == id }.map(\.account))
        return having == [ModelEntry.nameless(id)] ? having.first ?? id : id
    }

    private func isAnythingStored(of account: String) -> Bool {
        entries.contains { $0.account == account } || states.keys.contains { $0.account == account }
    }

    /// Whether anything is stored for an account, by whomever.
    func isKnown(_ account: String) -> Bool {
        entries.contains { $0.account == account && ($0.isCredential || $0.isAccount) && !$0.isBlank }
    }

    /// Whether a token with these scopes is good for what is asked for.
    private func serves(_ granted: Set<String>, _ asked: Set<String>) -> Bool {
        let resources = asked.subtracting(Self.openID)
        if !resources.isEmpty { return resources.isSubset(of: granted) }
        let isForNoResource = granted.isSubset(of: Self.openID)
        return !granted.isEmpty && (isForNoResource || !granted.isDisjoint(with: ["openid", "profile", "email"]))
    }

    /// Whether an access token is of the tenant that is asked for.
    private func fits(_ token: ModelEntry, _ lookup: Lookup, account: String) -> Bool {
        if lookup.isOfApplication { return token.realm == folded(lookup.tenant ?? "") }
        if lookup.tenant == nil, !Clouds.isKnown(token.text("environment") ?? "") { return true }
        return isNoted(lookup.tenant, of: token)
            || realms(folded(lookup.tenant ?? "common"), home: home(of: account)).contains(token.realm)
    }

    /// Whether the text for a tenant was noted to mean that of a token.
    func isNoted(_ tenant: String?, of token: ModelEntry) -> Bool {
        guard let tenant else { return false }
        let text = TenantText(account: token.account, cloud: token.cloud, text: folded(tenant))
        return tenantNotes[text] == token.realm
    }

    /// The realms that tokens for a tenant stand under, for an account that is at home in `home`.
    func realms(_ tenant: String, home: String?) -> [String?] {
        let isPersonal = home == Clouds.personalTenant
        switch tenant {
        case "common": return [home, "common", isPersonal ? "consumers" : "organizations"]
        case "organizations": return isPersonal ? ["organizations"] : [home, "common", "organizations"]
        case "consumers": return [Clouds.personalTenant, "consumers"] + (isPersonal ? ["common"] : [])
        default: return [tenant]
        }
    }

    /// The tenant that an account is at home in: its id tells, or else there is only one that knows it.
    func home(of account: String) -> String? {
        if let told = account.split(separator: ".", maxSplits: 1).dropFirst().first { return String(told) }
        let tenants = Set(
            entries.filter { $0.isAccount && $0.account == account && Clouds.isKnown($0.text("environment") ?? "") }
                .map(\.realm)
        ).subtracting(["", "common", "organizations", "consumers"])
        return tenants.count == 1 ? tenants.first : nil
    }

    /// Microsoft's refresh tokens are good for every tenant; others belong to their issuer. One that a service got
    /// on behalf of somebody is good for that assertion only, and one that is kept apart by anything else for nothing else.
    private func fits(refreshToken token: ModelEntry, _ lookup: Lookup) -> Bool {
        token.assertion == oneAlphabet(lookup.userAssertion ?? "")
            && zip(token.isolation, lookup.isolation).allSatisfy { $0.isEmpty || $0 == $1 }
            && (Clouds.isMicrosoft(token.text("environment") ?? "") || token.realm.isEmpty || lookup.tenant == nil
                || realms(folded(lookup.tenant ?? "common"), home: home(of: token.account)).contains(token.realm)
                || isNoted(lookup.tenant, of: token))
    }

    /// Few libraries write it down; zero says nothing.
    private func hasEnded(refreshToken token: ModelEntry) -> Bool {
        token.seconds("expires_on").map { $0 > 0 && $0 <= now } ?? false
    }

    private func shouldRenew(_ token: ModelEntry) -> Bool {
        token.seconds("refresh_on").map { $0 <= now } ?? false
    }

    private func isInExtendedLife(_ token: ModelEntry, _ lookup: Lookup) -> Bool {
        let buffer = buffer(of: token, asked: lookup.buffer)
        guard let ends = token.seconds("extended_expires_on", "ext_expires_on") else { return false }
        return ends > now && !isBeyondACentury(ends) && !isFromTheFuture(token, buffer: buffer)
            && !(token.seconds("expires_on").map(isBeyondACentury) ?? false)
    }

    private func longestLived(_ tokens: [ModelEntry], by member: String) -> [ModelEntry] {
        let ends = { (token: ModelEntry) in token.seconds(member, "ext_expires_on") ?? .min }
        let last = tokens.map(ends).max()
        return chosen(tokens.filter { ends($0) == last }).map { [$0] } ?? []
    }

}
