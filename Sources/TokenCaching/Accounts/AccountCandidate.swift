// SPDX-License-Identifier: Apache-2.0

internal import UnifiedSchema

/// An account while a list is built.
struct AccountCandidate {
    private(set) var account: Account
    /// Whether the client signed out of it.
    let isSignedOut: Bool

    init?(_ summary: AccountSummary, isSignedIn: Bool) {
        guard let account = summary.account(isSignedIn: isSignedIn) else { return nil }
        self.account = account
        isSignedOut = summary.isSignedOut
    }

    private var usernames: Set<UTF8Text> {
        Set(account.tenantProfiles.map { UTF8Text($0.username).normalized() }.filter { !$0.isEmpty })
    }

    /// Merges entries that older libraries stored only under a username into the account with this username. Signing
    /// out of that account hides them.
    static func merged(_ candidates: [AccountCandidate]) -> [AccountCandidate] {
        guard candidates.contains(where: { !$0.account.hasHomeAccountID }) else { return candidates }
        var merged: [AccountCandidate] = []
        var indices: [UTF8Text: Int] = [:]
        for candidate in candidates.sorted(by: { $0.account.precedes($1.account) })
        where candidate.account.hasHomeAccountID {
            for username in candidate.usernames where indices[username] == nil { indices[username] = merged.count }
            merged.append(candidate)
        }
        for candidate in candidates where !candidate.account.hasHomeAccountID {
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
    /// The order of lists: by the bytes of the id.
    func precedes(_ other: Account) -> Bool { id.text.utf8.lexicographicallyPrecedes(other.id.text.utf8) }
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
