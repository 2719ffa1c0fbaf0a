// SPDX-License-Identifier: Apache-2.0

/// A reference model of merges: what each client sees, by account and kind of token, with no keys, records or transactions.
/// Made without looking at the merge, for the histories of ``DocumentHistoryTests``.
struct MergeModel {
    /// The tokens that a client has, or was handed, for one account.
    struct Holding: Equatable {
        var refreshToken: String?
        /// The token of the family, and the client that obtained it.
        var familyToken: FamilyToken?
        /// By scope.
        var accessTokens: [String: String] = [:]
        var hasAccount = false

        var isEmpty: Bool { refreshToken == nil && familyToken == nil && accessTokens.isEmpty }

        func own(_ client: String) -> [String] {
            [refreshToken, familyToken?.owner == client ? familyToken?.secret : nil].compactMap(\.self)
                + accessTokens.values
        }
    }

    struct FamilyToken: Equatable {
        var owner: String
        var secret: String
    }

    /// What a client was handed.
    struct Base {
        var accounts: [String: Holding] = [:]
        var loadTime = 0
        /// When it was signed in by its own merges.
        var time: [String: Int] = [:]
        var removed: [String: Set<String>] = [:]
    }

    private struct Membership {
        var isSignedOut = false
        var isSignedIn = false
        /// When its tokens were last removed.
        var removal = 0
        var removedTokens: Set<String> = []
    }

    private struct Client: Hashable {
        let id: String
        let account: String
    }

    private var refreshTokens: [Client: String] = [:]
    private var familyTokens: [String: FamilyToken] = [:]
    private var accessTokens: [Client: [String: String]] = [:]
    private var known: Set<String> = []
    private var memberships: [Client: Membership] = [:]
    private var time = 1
    /// The clients of the family.
    let family: Set<String>

    init(family: Set<String>) {
        self.family = family
    }

    /// All tokens, sorted.
    var tokens: [String] {
        (refreshTokens.values + familyTokens.values.map(\.secret) + accessTokens.values.flatMap(\.values)).sorted()
    }

    /// What a client sees now.
    func base(of client: String) -> Base {
        var base = Base()
        base.loadTime = time
        for account in known {
            let own = Client(id: client, account: account)
            let membership = memberships[own] ?? Membership()
            if membership.isSignedOut { continue }
            var holding = Holding(refreshToken: refreshTokens[own], accessTokens: accessTokens[own] ?? [:])
            if let token = familyTokens[account], family.contains(client) { holding.familyToken = token }
            if holding.isEmpty, !membership.isSignedIn { continue }
            holding.hasAccount = true
            base.accounts[account] = holding
        }
        return base
    }

    /// Merges what a client has.
    ///
    /// - Returns: what the client has been handed then.
    mutating func merge(_ mine: [String: Holding], of client: String, over old: Base) -> Base {
        time += 1
        var base = old
        base.accounts = mine
        for account in Set(mine.keys).union(old.accounts.keys) {
            let handed = old.accounts[account] ?? Holding()
            let now = mine[account] ?? Holding()
            if handed == now { continue }
            if handed.hasAccount, !now.hasAccount, now.own(client).isEmpty {
                let tokens = old.removed[account, default: []].union(handed.own(client))
                signOut(client, account, alsoRemoving: tokens.union([handed.familyToken?.secret].compactMap(\.self)))
                base.removed[account] = nil
            } else if edit(handed, now, client, account, over: old) {
                base.time[account] = time
            }
            if now.isEmpty, !now.hasAccount { continue }
            var missing: [String] = []
            if let token = handed.refreshToken, now.refreshToken == nil { missing.append(token) }
            if let token = handed.familyToken, now.familyToken == nil { missing.append(token.secret) }
            missing += handed.accessTokens.filter { now.accessTokens[$0.key] == nil }.map(\.value)
            base.removed[account, default: []].formUnion(missing)
        }
        return base
    }

    private mutating func signOut(_ client: String, _ account: String, alsoRemoving tokens: Set<String>) {
        let own = Client(id: client, account: account)
        var membership = memberships[own] ?? Membership()
        membership.removedTokens.formUnion(tokens)
        membership.removedTokens.formUnion(accessTokens[own].map { Array($0.values) } ?? [])
        if let token = refreshTokens[own] { membership.removedTokens.insert(token) }
        if let token = familyTokens[account], family.contains(client) {
            membership.removedTokens.insert(token.secret)
            if !isNeeded(token, in: account, besides: client) { familyTokens[account] = nil }
        }
        refreshTokens[own] = nil
        accessTokens[own] = nil
        membership.isSignedOut = true
        membership.isSignedIn = false
        membership.removal = time
        memberships[own] = membership
    }

    /// Whether another member of the family is signed in.
    private func isNeeded(_ token: FamilyToken, in account: String, besides client: String) -> Bool {
        family.union([token.owner]).subtracting([client]).contains { other in
            let own = Client(id: other, account: account)
            let membership = memberships[own] ?? Membership()
            if membership.isSignedOut { return false }
            return membership.isSignedIn || refreshTokens[own] != nil || !(accessTokens[own] ?? [:]).isEmpty
                || token.owner == other
        }
    }

    private static func number(_ token: String) -> Int { Int(token.dropFirst()) ?? 0 }

    private mutating func edit(
        _ handed: Holding,
        _ now: Holding,
        _ client: String,
        _ account: String,
        over old: Base
    ) -> Bool {
        let own = Client(id: client, account: account)
        var membership = memberships[own] ?? Membership()
        let removed = Set(memberships.filter { $0.key.account == account }.flatMap(\.value.removedTokens))
        let isRemoved =
            membership.isSignedOut || membership.removal > old.time[account] ?? old.loadTime
            || handed.own(client).contains(where: membership.removedTokens.contains)
        let hadRefreshToken = handed.refreshToken != nil || handed.familyToken != nil
        var new: [String] = []
        if let token = now.refreshToken, token != handed.refreshToken { new.append(token) }
        if let token = now.familyToken, token.owner == client, token != handed.familyToken { new.append(token.secret) }
        if new.isEmpty {
            new = now.accessTokens.filter { handed.accessTokens[$0.key] != $0.value }.map(\.value)
        }
        let isAccepted = !isRemoved || !hadRefreshToken && new.contains { !removed.contains($0) }
        var hasWritten = false
        if let token = now.refreshToken, token != handed.refreshToken, token != refreshTokens[own],
            !removed.contains(token), isAccepted
        {
            refreshTokens[own] = token
            hasWritten = true
        }
        if let token = now.familyToken, token.secret != handed.familyToken?.secret,
            token.secret != familyTokens[account]?.secret, !removed.contains(token.secret)
        {
            let isSuccessor =
                familyTokens[account] != nil && familyTokens[account]?.secret == handed.familyToken?.secret
            if token.owner == client, isAccepted {
                familyTokens[account] = token
                // A client's own token would be redeemed in its place.
                refreshTokens[own] = nil
                hasWritten = true
            } else if isSuccessor, let held = familyTokens[account],
                isAccepted || isNeeded(held, in: account, besides: client)
            {
                familyTokens[account]?.secret = token.secret
                hasWritten = hasWritten || isAccepted
            }
        }
        for (scope, token) in now.accessTokens
        where token != handed.accessTokens[scope] && token != accessTokens[own]?[scope] {
            guard isAccepted, !removed.contains(token) else { continue }
            // Access tokens say when they were issued, as their numbers do here.
            if let held = accessTokens[own]?[scope], !handed.accessTokens.values.contains(held),
                Self.number(held) > Self.number(token)
            {
                continue
            }
            accessTokens[own, default: [:]][scope] = token
            hasWritten = true
        }
        // What the client removed, if it is still what it had.
        if let token = handed.refreshToken, now.refreshToken == nil, refreshTokens[own] == token {
            refreshTokens[own] = nil
        }
        if let token = handed.familyToken, token.owner == client, now.familyToken == nil,
            familyTokens[account] == token,
            !isNeeded(token, in: account, besides: client)
        {
            familyTokens[account] = nil
        }
        for (scope, token) in handed.accessTokens
        where now.accessTokens[scope] == nil && accessTokens[own]?[scope] == token {
            accessTokens[own]?[scope] = nil
        }
        if now.hasAccount, isAccepted { known.insert(account) }
        if hasWritten {
            membership.isSignedIn = true
            membership.isSignedOut = false
            memberships[own] = membership
        }
        return hasWritten
    }
}
