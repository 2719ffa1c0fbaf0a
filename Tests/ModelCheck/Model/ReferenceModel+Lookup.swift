extension ReferenceModel {
    static let reserved: Set<String> = ["openid", "profile", "offline_access"]

    func decision(_ lookup: Lookup, client: String) -> ExpectedDecision {
        var asked = Set(lookup.scopes.map(folded)).subtracting([""])
        guard !asked.isEmpty else { return .refused("invalidRequest") }
        if !asked.isSubset(of: Self.reserved) { asked.subtract(Self.reserved) }

        var account = ""
        switch lookup.subject {
        case .application: break
        case .account(let id): account = folded(id)
        case .username(let username):
            let named = Set(
                entries.filter { $0.isAccount && !$0.account.isEmpty && $0.username == folded(username) }.map(\.account)
            )
            // Signing out hides an account.
            let shown = named.filter { state(client, $0) != .signedOut }
            guard let only = shown.first else {
                return .interaction(named.isEmpty ? "accountUnknown" : "signedOut")
            }
            guard shown.count == 1 else { return .interaction("severalAccounts") }
            account = only
        }
        if !lookup.isOfApplication, state(client, account) == .signedOut { return .interaction("signedOut") }

        let tokens = entries.filter(\.isAccessToken)
            .filter { $0.account == account && $0.client == client }
            .filter { lookup.environment.map(Clouds.cloud) ?? $0.cloud == $0.cloud }
            .filter { token in fits(token, lookup, account: account) }
            .filter { asked.isSubset(of: $0.scopes) }
            .filter { $0.scheme == lookup.scheme }
            .filter { lookup.keyID == nil || $0.keyID == lookup.keyID }
            .filter { $0.isolation == lookup.isolation }
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
                .filter { fits(refreshToken: $0, lookup) }
            if usable.isEmpty { continue }
            let beside = lookup.claims || good.isEmpty ? nil : good.map(\.secret)
            return .renew(newest(usable).map(\.secret), stillValid: beside)
        }
        if lost.contains(Membership(client: client, account: account)) { return .interaction("refreshTokenLost") }
        guard isKnown(account) else { return .interaction("accountUnknown") }
        if lookup.claims { return .interaction("claimsRequested") }
        return .interaction(tokens.isEmpty || lookup.forceRefresh ? "refreshTokenMissing" : "tokensExpired")
    }

    /// Whether anything is stored for an account, by whomever.
    func isKnown(_ account: String) -> Bool {
        entries.contains { $0.account == account && ($0.isCredential || $0.isAccount) }
    }

    /// Whether an access token is of the tenant that is asked for.
    private func fits(_ token: ModelEntry, _ lookup: Lookup, account: String) -> Bool {
        if lookup.isOfApplication { return token.realm == folded(lookup.tenant ?? "") }
        guard Clouds.isKnown(token.text("environment") ?? "") else {
            return lookup.tenant == nil || token.realm == folded(lookup.tenant ?? "")
        }
        let home = home(of: account)
        let tenant = folded(lookup.tenant ?? "common")
        switch tenant {
        case "common": return [home, "common"].contains(token.realm)
        case "organizations":
            return token.realm == "organizations" || (home != Clouds.personalTenant && token.realm == home)
        case "consumers": return [Clouds.personalTenant, "consumers"].contains(token.realm)
        default: return token.realm == tenant
        }
    }

    /// The tenant that an account is at home in: its id tells, or else there is only one that knows it.
    private func home(of account: String) -> String? {
        if let told = account.split(separator: ".", maxSplits: 1).dropFirst().first { return String(told) }
        let tenants = Set(
            entries.filter { $0.isAccount && $0.account == account && Clouds.isKnown($0.text("environment") ?? "") }
                .map(\.realm)
        ).subtracting(["", "common", "organizations", "consumers"])
        return tenants.count == 1 ? tenants.first : nil
    }

    /// Refresh tokens of the known clouds are good for every tenant; others belong to their issuer. One that a service got
    /// on behalf of somebody is good for that assertion only.
    private func fits(refreshToken token: ModelEntry, _ lookup: Lookup) -> Bool {
        token.assertion == oneAlphabet(lookup.userAssertion ?? "")
            && (Clouds.isKnown(token.text("environment") ?? "") || token.realm.isEmpty || lookup.tenant == nil
                || token.realm == folded(lookup.tenant ?? ""))
    }

    private func shouldRenew(_ token: ModelEntry) -> Bool {
        token.seconds("refresh_on").map { $0 <= now } ?? false
    }

    private func isInExtendedLife(_ token: ModelEntry, _ lookup: Lookup) -> Bool {
        let buffer = lookup.buffer ?? buffer(of: token)
        guard let ends = token.seconds("extended_expires_on", "ext_expires_on") else { return false }
        return ends > now && !isBeyondACentury(ends) && !isFromTheFuture(token, buffer: buffer)
            && !(token.seconds("expires_on").map(isBeyondACentury) ?? false)
    }

    private func longestLived(_ tokens: [ModelEntry], by member: String) -> [ModelEntry] {
        let ends = { (token: ModelEntry) in token.seconds(member, "ext_expires_on") ?? .min }
        let last = tokens.map(ends).max()
        return tokens.filter { ends($0) == last }
    }

    /// The newest by the time that they say, or else by when they were written.
    private func newest(_ tokens: [ModelEntry]) -> [ModelEntry] {
        let age = { (token: ModelEntry) in (token.time ?? .min, token.commit) }
        guard let last = tokens.map(age).max(by: <) else { return [] }
        return tokens.filter { age($0) == last }
    }
}
