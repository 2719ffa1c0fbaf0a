// SPDX-License-Identifier: Apache-2.0

extension ReferenceModel {
    /// An account in a list: what its entries say of each tenant.
    private struct Candidate {
        struct Profile {
            var tenant: String
            var cloud: String
            var username: String
            var localAccountID: String
        }

        var account: String
        var isNameless: Bool
        var isSignedIn: Bool
        var profiles: [Profile]
    }

    func accounts(_ filter: AccountQuestion, client: String) -> Set<ExpectedAccount> {
        let identifier = filter.identifier.map(folded)
        let username = filter.username.map(folded)
        let asked = askedFor(identifier, username)
        let candidates = merged(asked.map { candidate($0, client: client) })
        return Set(
            candidates.compactMap { candidate -> ExpectedAccount? in
                let id =
                    candidate.isNameless ? String(candidate.account.drop { $0 != ":" }.dropFirst()) : candidate.account
                guard filter.includesSignedOut || candidate.isSignedIn, identifier ?? id == id,
                    username.map({ name in candidate.profiles.contains { $0.username == name } }) ?? true,
                    filter.localAccountID.map({ id in candidate.profiles.contains { $0.localAccountID == folded(id) } })
                        ?? true
                else { return nil }
                return ExpectedAccount(
                    id: id,
                    isSignedIn: candidate.isSignedIn,
                    profiles: candidate.profiles.map { [$0.tenant, $0.cloud] }
                        .sorted { $0.lexicographicallyPrecedes($1) }
                )
            }
        )
    }

    /// The accounts that a list can have anything from: an account and what is known under its usernames only, all that
    /// have a username, or all.
    private func askedFor(_ identifier: String?, _ username: String?) -> [String] {
        let all = entries.filter(\.isAccount)
        let having = { (name: String) in Set(all.filter { $0.username == name }.map(\.account)) }
        var accounts = Set(all.map(\.account))
        if let identifier {
            let own = all.filter { $0.account == identifier }
            let nameless = own.map { ModelEntry.nameless($0.username) }
            accounts.formIntersection(own.isEmpty ? having(identifier) : Set(nameless + [identifier]))
        } else if let username {
            accounts.formIntersection(having(username))
        }
        return accounts.sorted()
    }

    private func candidate(_ account: String, client: String) -> Candidate {
        let stored = entries.filter { $0.isAccount && $0.account == account }
        // Of several entries of one tenant the newest tells; what it does not say, the next one does.
        let tenants = Dictionary(grouping: stored.sorted(by: precedes)) { [tenant(of: $0, account), $0.cloud] }
        return Candidate(
            account: account,
            isNameless: stored.allSatisfy(\.isNameless),
            isSignedIn: isSignedIn(client, account),
            profiles: tenants.map { place, entries in
                let says = { (name: String) in folded(entries.lazy.compactMap { $0.text(name) }.first ?? "") }
                return Candidate.Profile(
                    tenant: place[0],
                    cloud: place[1],
                    username: says("username"),
                    localAccountID: says("local_account_id")
                )
            }
        )
    }

    /// What is known under a username only is told with the account that has this username: its further tenants.
    private func merged(_ candidates: [Candidate]) -> [Candidate] {
        var merged = candidates.filter { !$0.isNameless }
        for candidate in candidates where candidate.isNameless {
            let usernames = candidate.profiles.map(\.username)
            guard
                let index = merged.firstIndex(where: { named in
                    named.profiles.contains { usernames.contains($0.username) }
                })
            else {
                merged.append(candidate)
                continue
            }
            let known = merged[index].profiles.map(\.tenant)
            merged[index].profiles += candidate.profiles.filter { !known.contains($0.tenant) }
        }
        return merged
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
        let nameless = namelessToo(account)
        let leaving = entries.filter { entry in
            guard entry.isCredential, entry.account == account else { return false }
            guard entry.isRefreshToken, let family = entry.family else { return entry.client == client }
            let concerns = entry.client == client || families(of: client, in: entry.cloud).contains(family)
            return concerns
                && !hasOtherMember(of: family, than: client, account, cloud: entry.cloud, owner: entry.client)
        }
        entries.removeAll(where: leaving.contains)
        removeTokensOfNobody(client, nameless)
        for account in [account] + nameless { setState(.signedOut, client, account) }
        flags[Membership(client: client, account: account)] = nextCommit()
    }

    /// The accounts that have no id but one of an account's usernames, or that the id names: they leave with it.
    private func namelessToo(_ account: String) -> [String] {
        let usernames = entries.filter { $0.isAccount && $0.account == account }.map(\.username)
        let names = Set(([account] + usernames).map(ModelEntry.nameless))
        return names.filter { name in
            entries.contains { $0.account == name } || states.keys.contains { $0.account == name }
        }.sorted()
    }

    /// Removes the tokens that name nobody, of one client or of all, beside entries of accounts without an id: they may be
    /// theirs. An application's own stay.
    private mutating func removeTokensOfNobody(_ client: String?, _ nameless: [String]) {
        let own = entries.filter { nameless.contains($0.account) }
        entries.removeAll { entry in
            entry.isCredential && entry.isNameless && client ?? entry.client == entry.client
                && entry.assertion.isEmpty && entry.members["application_token"] == nil
                && own.contains { own in
                    let isBeside = (own.isRefreshToken || own.isIDToken) && own.client == entry.client
                    return own.cloud == entry.cloud && (own.isAccount || own.account == entry.account || isBeside)
                }
        }
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
        let nameless = namelessToo(account)
        removeTokensOfNobody(nil, nameless)
        for account in [account] + nameless {
            let ofAccount = entries.filter { $0.account == account && ($0.isCredential || $0.isAccount) }
            let clients = Set(ofAccount.filter(\.isCredential).map(\.client)).union([client])
                .union(states.keys.filter { $0.account == account }.map(\.client))
            entries.removeAll(where: ofAccount.contains)
            lost = lost.filter { $0.account != account }
            tenantNotes = tenantNotes.filter { $0.key.account != account }
            for client in clients { setState(.signedOut, client, account) }
            wipes[account] = nextCommit()
        }
    }

    mutating func clear() {
        entries = []
        states = [:]
        lost = []
        tenantNotes = [:]
        lastClear = nextCommit()
    }
}
