// SPDX-License-Identifier: Apache-2.0

internal import UnifiedSchema

/// An account while a list is built.
struct AccountCandidate {
    private(set) var account: Account
    /// Whether the client signed out of it.
    let isSignedOut: Bool

    init(_ listed: ListedAccount, isSignedIn: Bool) {
        account = listed.account.signedIn(isSignedIn)
        isSignedOut = listed.signIn.isSignedOut
    }

    private var usernames: Set<UTF8Text> {
        Set(account.tenantProfiles.lazy.compactMap(\.username).map { UTF8Text($0).normalized() }.filter { !$0.isEmpty })
    }

    /// Merges entries that older libraries stored only under a username into the account with this username. Signing
    /// out of that account hides them.
    static func merged(_ candidates: [AccountCandidate]) -> [AccountCandidate] {
        guard candidates.contains(where: { !$0.account.hasHomeAccountID }) else { return candidates }
        var merged: [AccountCandidate] = []
        var indices: [UTF8Text: Int] = [:]
        let sorted = candidates.sorted { $0.account.precedes($1.account) }
        for candidate in sorted where candidate.account.hasHomeAccountID {
            for username in candidate.usernames where indices[username] == nil { indices[username] = merged.count }
            merged.append(candidate)
        }
        for candidate in sorted where !candidate.account.hasHomeAccountID {
            if let index = candidate.usernames.lazy.compactMap({ indices[$0] }).first {
                merged[index].absorb(candidate.account)
            } else {
                merged.append(candidate)
            }
        }
        return merged
    }

    private mutating func absorb(_ other: Account) {
        let known = Set(account.tenantProfiles.map { UTF8Text($0.tenant).normalized() })
        let new = other.tenantProfiles.filter { !known.contains(UTF8Text($0.tenant).normalized()) }
        account = Account(
            id: account.id,
            hasHomeAccountID: account.hasHomeAccountID,
            username: account.username,
            environment: account.environment,
            tenantProfiles: account.tenantProfiles + new.map { $0.asGuest(of: account.id) },
            isSignedIn: !isSignedOut && (account.isSignedIn || other.isSignedIn)
        )
    }
}

extension Account {
    /// The order of lists: by the bytes of the id. Of two accounts with the same id, one is known by its username.
    func precedes(_ other: Account) -> Bool {
        let (own, others) = (UTF8Text(id.text), UTF8Text(other.id.text))
        if own != others { return own < others }
        if hasHomeAccountID != other.hasHomeAccountID { return hasHomeAccountID }
        // Several accounts may have neither an id nor a username.
        let texts = [self, other].map { account in
            [account.environment] + account.tenantProfiles.flatMap { [$0.tenant, $0.localAccountID ?? ""] }
        }
        return texts[0].lexicographicallyPrecedes(texts[1]) { UTF8Text($0) < UTF8Text($1) }
    }

    /// The same account, for a client that is signed in or not.
    func signedIn(_ isSignedIn: Bool) -> Account {
        if self.isSignedIn == isSignedIn { return self }
        return Account(
            id: id,
            hasHomeAccountID: hasHomeAccountID,
            username: username,
            environment: environment,
            tenantProfiles: tenantProfiles,
            isSignedIn: isSignedIn
        )
    }
}

extension TenantProfile {
    /// The same profile, as a guest profile of another account.
    fileprivate func asGuest(of account: Account.ID) -> TenantProfile {
        var copy = self
        copy.accountID = account
        copy.isHome = false
        return copy
    }
}
