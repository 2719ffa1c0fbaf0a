// SPDX-License-Identifier: Apache-2.0

extension ReferenceModel {
    /// Takes in the entries of a document. They are compared with what was there before the document, not with each
    /// other.
    mutating func take(_ document: [ModelEntry], replaces: Bool) {
        let before = entries
        let statesBefore = states
        let commit = nextCommit()
        /// When the last entry that stays was written, until one is written again: all after that are.
        var lastKept: (Int, Int)? = (.min, 0)
        for (position, imported) in JSONText.inOrder(document).enumerated() {
            var entry = imported
            entry.commit = commit
            entry.position = position
            let signOuts = entry.isCredential ? signOuts(against: entry, document, before, statesBefore) : []
            if replaces { for out in signOuts { setState(.signedIn, out.client, out.account) } }
            let sameKey = before.first { $0.section == entry.section && $0.key == entry.key }
            if let sameKey, sameKey.members == entry.members {
                let written = (sameKey.commit, sameKey.position)
                if !replaces || lastKept.map({ $0 < written }) == true {
                    lastKept = lastKept.map { _ in written }
                } else if let index = entries.firstIndex(where: { $0.section == entry.section && $0.key == entry.key })
                {
                    entries[index].commit = commit
                    entries[index].position = position
                    lastKept = nil
                }
                continue
            }
            if !replaces, !signOuts.isEmpty { continue }
            // An entry without a token replaces nothing, and is replaced by any.
            if !replaces, entry.isBlank {
                if sameKey != nil { continue }
            } else if !replaces, sameKey?.isBlank != true {
                let rivals = sameKey.map { [$0] } ?? before.filter { isSameThing($0, entry) }
                guard rivals.allSatisfy({ isOlderBeyondDoubt($0, than: entry) }) else { continue }
            }
            entries.removeAll { $0.section == entry.section && $0.key == entry.key }
            entries.append(entry)
            lastKept = nil
        }
    }

    /// The sign-outs that hold against a token: its client's from its account, and from what had only the username that its
    /// account has, unless the client has signed in to the account or another account has that username too.
    private func signOuts(
        against token: ModelEntry,
        _ document: [ModelEntry],
        _ before: [ModelEntry],
        _ states: [Membership: State]
    ) -> [Membership] {
        let own = Membership(client: token.client, account: token.account)
        if states[own] == .signedIn { return [] }
        let accounts = before.filter { $0.isAccount && $0.cloud == token.cloud }
        let named = accounts + document.filter(\.isAccount)
        let names = Set(named.filter { !token.isNameless && $0.account == token.account }.map(\.username))
        let nameless = names.subtracting([""]).filter { name in
            let account = ModelEntry.nameless(name)
            let having = Set(accounts.filter { $0.username == name }.map(\.account))
            let isInCloud = having.contains(account) || !before.contains { $0.isAccount && $0.account == account }
            return isInCloud && having.isSubset(of: [account, token.account])
        }
        let all = [own] + nameless.map { Membership(client: token.client, account: ModelEntry.nameless($0)) }
        return all.filter { states[$0] == .signedOut }
    }

    private func isOlderBeyondDoubt(_ old: ModelEntry, than new: ModelEntry) -> Bool {
        guard let oldTime = old.time, let newTime = new.time else { return false }
        return oldTime < newTime
    }

    /// Whether two entries are one credential under two keys.
    private func isSameThing(_ one: ModelEntry, _ other: ModelEntry) -> Bool {
        guard !one.isBlank, !other.isBlank, one.section == other.section, one.account == other.account,
            one.cloud == other.cloud,
            one.client == other.client
        else { return false }
        if one.isRefreshToken {
            return one.family == other.family && one.isolation == other.isolation
                && (Clouds.isMicrosoft(one.cloud) || one.realm == other.realm)
        }
        guard one.isAccessToken else { return false }
        return one.realm == other.realm && one.scheme == other.scheme && one.keyID == other.keyID
            && one.isolation == other.isolation && one.scopes == other.scopes
    }

    /// What an export holds. Accounts that nobody is signed in to any more are left out, unless all are asked for.
    func exported(all: Bool) -> [ModelEntry] {
        guard !all else { return entries }
        let signedOut = Set(states.filter { $0.value == .signedOut }.keys.map(\.account))
        let left = signedOut.filter { account in
            !states.contains { $0.key.account == account && $0.value == .signedIn }
                && !entries.contains {
                    $0.isCredential && $0.account == account && state($0.client, account) != .signedOut
                }
        }
        return entries.filter { $0.account.isEmpty || !left.contains($0.account) }
    }
}
