// SPDX-License-Identifier: Apache-2.0

extension ReferenceModel {
    func accounts(_ filter: AccountQuestion, client: String) -> Set<ExpectedAccount> {
        let named = Dictionary(grouping: entries.filter { $0.isAccount && !$0.account.isEmpty }, by: \.account)
        return Set(
            named.compactMap { (account, stored) -> ExpectedAccount? in
                // Of several entries of one tenant the newest tells; what it does not say, the next one does.
                let tenants = Dictionary(grouping: stored.sorted(by: precedes)) {
                    [tenant(of: $0, account), $0.cloud]
                }
                let says = { (name: String) in
                    tenants.values.compactMap { entries in entries.compactMap { $0.text(name) }.first.map(folded) }
                }
                let isSignedIn = isSignedIn(client, account)
                guard filter.includesSignedOut || isSignedIn,
                    filter.identifier.map(folded) ?? account == account,
                    filter.username.map({ says("username").contains(folded($0)) }) ?? true,
                    filter.localAccountID.map({ says("local_account_id").contains(folded($0)) }) ?? true
                else { return nil }
                return ExpectedAccount(
                    id: account,
                    isSignedIn: isSignedIn,
                    profiles: tenants.keys.sorted { $0.lexicographicallyPrecedes($1) }
                )
            }
        )
    }

    /// The tenant of an account entry, which may be stored under a word for one.
    private func tenant(of entry: ModelEntry, _ account: String) -> String {
        let home = account.split(separator: ".").dropFirst().last.map { folded(String($0)) }
        switch entry.realm {
        case "consumers": return Clouds.personalTenant
        case "common": return home ?? entry.realm
        case "organizations": return home == Clouds.personalTenant ? entry.realm : home ?? entry.realm
        default: return entry.realm
        }
    }

    func isSignedIn(_ client: String, _ account: String) -> Bool {
        switch state(client, account) {
        case .signedOut: return false
        case .signedIn: return true
        case nil: break
        }
        let refreshTokens = refreshTokens(of: client, account)
        return !refreshTokens.own.isEmpty || !refreshTokens.family.isEmpty
            || entries.contains {
                $0.isAccessToken && !$0.isBlank && $0.account == account && $0.client == client
                    && $0.seconds("expires_on") ?? .min > now
            }
    }

    // MARK: - Removal

    mutating func signOut(_ account: String, client: String) {
        let account = folded(account)
        let leaving = entries.filter { entry in
            guard entry.isCredential, entry.account == account else { return false }
            guard entry.isRefreshToken, let family = entry.family else { return entry.client == client }
            let concerns = entry.client == client || families(of: client, in: entry.cloud).contains(family)
            return concerns
                && !hasOtherMember(of: family, than: client, account, cloud: entry.cloud, owner: entry.client)
        }
        entries.removeAll(where: leaving.contains)
        setState(.signedOut, client, account)
        flags[Membership(client: client, account: account)] = nextCommit()
    }

    /// Whether another client of a family is signed in to an account. The one that got the family's token counts where
    /// nothing else is known of it.
    func hasOtherMember(
        of family: String,
        than client: String,
        _ account: String,
        cloud: String,
        owner: String
    ) -> Bool {
        let ofAccount = entries.filter { $0.isCredential && $0.account == account && !$0.isBlank }
        let others = Set(ofAccount.map(\.client)).union(states.keys.filter { $0.account == account }.map(\.client))
            .subtracting([client])
        return others.contains { other in
            let isMember = statedFamilies(of: other, in: cloud)?.contains(family) ?? (other == owner)
            guard isMember, state(other, account) != .signedOut else { return false }
            return state(other, account) == .signedIn || ofAccount.contains { $0.client == other }
        }
    }

    mutating func wipe(_ account: String, client: String) {
        let account = folded(account)
        let ofAccount = entries.filter { $0.account == account && ($0.isCredential || $0.isAccount) }
        let clients = Set(ofAccount.filter(\.isCredential).map(\.client)).union([client])
            .union(states.keys.filter { $0.account == account }.map(\.client))
        entries.removeAll(where: ofAccount.contains)
        lost = lost.filter { $0.account != account }
        tenantNotes = tenantNotes.filter { $0.key.account != account }
        for client in clients { setState(.signedOut, client, account) }
        wipes[account] = nextCommit()
    }

    mutating func clear() {
        entries = []
        states = [:]
        lost = []
        tenantNotes = [:]
        lastClear = nextCommit()
    }
}
