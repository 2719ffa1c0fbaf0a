// SPDX-License-Identifier: Apache-2.0

import Operations
import SampleAccounts
import TokenCaching

/// Every kind of query beside the exact hit, on the same accounts and in the same order.
extension Scene {
    /// A client of the same family that has no token of its own.
    private static let sibling = "0c1f2b7e-43b5-4a55-8d0b-6a2f1f0a9d11"
    private static let host = "login.microsoftonline.com"
    /// A tenant in which all of the accounts are guests.
    private static let guestTenant = "7d1a33c1-5b0e-4b7c-a4c5-2f3f8e9d6b02"

    private typealias Maker = (Names) -> TokenQuery

    /// What queries name, worked out beforehand: how sample accounts get their names is no part of a lookup.
    private struct Names {
        let index: Int
        let id: String
        let username: String
        let tenant: String
        let unknownID: String
        let unknownUsername: String

        init(_ index: Int, _ accounts: SampleAccounts, _ count: Int) {
            self.index = index
            id = accounts.homeAccountID(index)
            username = accounts.username(index)
            tenant = accounts.tenant(index)
            unknownID = accounts.homeAccountID(index + count)
            unknownUsername = accounts.username(index + count)
        }
    }

    func measureKinds() throws {
        let chosen = randomOrder(min(count, 500))
        let cache = try open()
        // All of the same accounts, so that no kind has the caches of the processor for itself.
        for index in chosen { try makeGuest(index, in: cache) }
        let sibling = try TokenCache(group: "figures", clientID: Self.sibling, root: folder)
        // Accounts in use are what lookups are for: each was read once.
        for index in 0..<count { _ = try cache.token(for: query(index)) }
        for index in chosen { _ = try sibling.token(for: query(index)) }
        let names = chosen.map { Names($0, accounts, count) }
        // Short rounds, many of them: a median that other programs on the machine hardly touch.
        let order = (0..<(500 / chosen.count)).flatMap { _ in names }

        let exact = try cost(cache, order, exactQuery)
        report("a new query each time: exact", "\((exact / 1000).rounded(to: 2)) us")
        for (name, asked, make) in kinds(cache, sibling) {
            let time = try cost(asked, order, make)
            report("  " + name, "\((time / 1000).rounded(to: 2)) us, \((time / exact).rounded(to: 2)) x exact")
        }
        for (name, find) in accountQuestions(cache) {
            let time = try Stopwatch.nanoseconds(perRoundOf: order.count, repetitions: 41) {
                for names in order { try find(names) }
            }
            report("  " + name, "\((time / 1000).rounded(to: 2)) us, \((time / exact).rounded(to: 2)) x exact")
        }
        let prepared = try preparedCost(cache, names, exactQuery)
        report("a prepared query: exact", "\(prepared.rounded(to: 1)) ns")
        for (name, asked, make) in kinds(cache, sibling) {
            let time = try preparedCost(asked, names, make)
            report("  " + name, "\(time.rounded(to: 1)) ns, \((time / prepared).rounded(to: 2)) x exact")
        }
    }

    private func exactQuery(_ names: Names) -> TokenQuery {
        TokenQuery(
            accountID: Account.ID(names.id),
            scopes: SampleAccounts.scopes,
            tenant: names.tenant,
            environment: Self.host
        )
    }

    private func kinds(_ cache: TokenCache, _ sibling: TokenCache) -> [(String, TokenCache, Maker)] {
        let scopes = SampleAccounts.scopes
        let alias = "sts.windows.net"
        func byID(_ id: String, _ scopes: [String], _ tenant: String, _ host: String = Self.host) -> TokenQuery {
            TokenQuery(accountID: Account.ID(id), scopes: scopes, tenant: tenant, environment: host)
        }
        func byName(_ name: String, _ tenant: String) -> TokenQuery {
            TokenQuery(username: name, scopes: scopes, tenant: tenant, environment: Self.host)
        }
        return [
            ("subset of the scopes", cache, { byID($0.id, ["User.Read"], $0.tenant) }),
            ("alias of the host", cache, { byID($0.id, scopes, $0.tenant, alias) }),
            ("guest tenant", cache, { byID($0.id, scopes, Self.guestTenant) }),
            ("username", cache, { byName($0.username, $0.tenant) }),
            ("refresh token of the family", sibling, { byID($0.id, scopes, $0.tenant) }),
            ("other scopes: a refresh token", cache, { byID($0.id, ["Something.Else"], $0.tenant) }),
            ("more scopes than granted: the same", cache, { byID($0.id, scopes + ["Something.Else"], $0.tenant) }),
            ("miss: nobody of that id", cache, { byID($0.unknownID, scopes, $0.tenant) }),
            ("miss: nobody of that username", cache, { byName($0.unknownUsername, $0.tenant) }),
        ]
    }

    /// Accounts that are asked for by name, which reads and lists one account.
    private func accountQuestions(_ cache: TokenCache) -> [(String, (Names) throws -> Void)] {
        func find(_ filter: AccountFilter, expecting count: Int) throws {
            guard try cache.accounts(matching: filter).count == count else { throw Unexpected() }
        }
        return [
            ("account by id", { try find(AccountFilter(id: Account.ID($0.id)), expecting: 1) }),
            ("account by username", { try find(AccountFilter(username: $0.username), expecting: 1) }),
            ("account by username: nobody", { try find(AccountFilter(username: $0.unknownUsername), expecting: 0) }),
        ]
    }

    private struct Unexpected: Error {}

    /// Nanoseconds for making a query and asking it, in the order given.
    private func cost(_ cache: TokenCache, _ order: [Names], _ make: Maker) throws -> Double {
        try Stopwatch.nanoseconds(perRoundOf: order.count, repetitions: 41) {
            for names in order { _ = try cache.token(for: make(names)) }
        }
    }

    /// Nanoseconds for asking a query that was asked before.
    private func preparedCost(_ cache: TokenCache, _ names: [Names], _ make: Maker) throws -> Double {
        let queries = names.map(make)
        for query in queries { _ = try cache.token(for: query) }
        let rounds = 10_000 / queries.count
        return try Stopwatch.nanoseconds(perRoundOf: rounds * queries.count, repetitions: 41) {
            for _ in 0..<rounds {
                for query in queries { _ = try cache.token(for: query) }
            }
        }
    }

    /// Saves what makes account `index` a guest, with a refresh token of a family.
    private func makeGuest(_ index: Int, in cache: TokenCache) throws {
        let request = TokenRequest(
            environment: Self.host,
            tenant: Self.guestTenant,
            scopes: SampleAccounts.scopes,
            grant: .interactive,
            accountID: Account.ID(accounts.homeAccountID(index))
        )
        let json = accounts.guestResponse(index, tenant: Self.guestTenant)
        _ = try cache.save(TokenResponse(json: json), for: request)
    }
}
