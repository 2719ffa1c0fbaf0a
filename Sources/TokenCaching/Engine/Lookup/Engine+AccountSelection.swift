// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
internal import RecordStorage
internal import UnifiedSchema

extension Engine {
    /// Selects among several accounts with one username or one subject: by the cloud and the tenant that a query names, and
    /// those with one username also by which of them the client is signed in to.
    ///
    /// A condition that no account meets is ignored. Whether the client signed out matters after the cloud and the
    /// tenant: whoever names the tenant of the account that signed out must not get another person's token. Whether a
    /// token is valid does not matter: the answer must not change because tokens expire.
    ///
    /// - Returns: the accounts that remain; at least one.
    func selected(
        from accounts: [PartitionFacts],
        by terms: PreparedQuery,
        _ families: ClientFamilies
    ) -> [PartitionFacts] {
        var selected = accounts
        func select(_ isMet: (QueryMatch) -> Bool) {
            guard selected.count > 1 else { return }
            let meeting = selected.filter { isMet(QueryMatch(terms, $0, client: clientBytes)) }
            if !meeting.isEmpty { selected = meeting }
        }
        select(\.hasAccountInCloud)
        select(\.hasAccountInTenant)
        // A subject is the id of one account, even if it is not signed in.
        guard terms.subject == .username else { return selected }
        // An account without an id is a part of the one that has its username, and is signed out with it.
        if selected.contains(where: { !$0.homeAccountID.isNone && $0.isSignedOut(client: clientBytes) }) {
            select { !$0.facts.homeAccountID.isNone }
        }
        select { !$0.facts.isSignedOut(client: clientBytes) }
        // Of several that all signed out, no token is handed out.
        if selected[0].isSignedOut(client: clientBytes) { return [selected[0]] }
        select { $0.isSignedIn(families) }
        select { !$0.facts.homeAccountID.isNone }
        return selected
    }
}

extension QueryMatch {
    fileprivate var hasAccountInCloud: Bool {
        let rows = facts.rows
        for index in rows.indices where rows[index].kind.isAccount && matchesCloud(rows[index]) { return true }
        return false
    }

    /// True if the query names no tenant.
    fileprivate var hasAccountInTenant: Bool {
        guard let tenant = terms.tenant, let name = UTF8Text(utf8: terms.span(tenant)) else { return true }
        let id = facts.accountText
        let names = TenantRealms(meantBy: name, homeAccountID: id.isEmpty ? nil : id)
        let rows = facts.rows
        for index in rows.indices where rows[index].kind.isAccount && matchesCloud(rows[index]) {
            if realms.contains(rows[index]) { return true }
            // Compared as texts, because tenants of profiles have no symbols of their own.
            let profiles = (facts.string(rows[index].writtenRealm) ?? "").split(separator: "\n")
            if profiles.contains(where: { names.contains(UTF8Text(String($0))) }) { return true }
        }
        return false
    }

    /// Whether the client has signed in to the account, or can redeem a refresh token of its family for it.
    fileprivate func isSignedIn(_ families: ClientFamilies) -> Bool {
        let rows = facts.rows
        for index in rows.indices where rows[index].isSignIn {
            if rows[index].client == client || isShared(rows[index], families) { return true }
        }
        return false
    }
}

extension FactsRow {
    /// Whether the row shows that its client has signed in to the account.
    fileprivate var isSignIn: Bool {
        kind.isAccessToken || kind.isPlainRefreshToken || kind.isIDToken
            || kind.isInternalRecord && flags.contains(.signedIn)
    }
}
