// SPDX-License-Identifier: Apache-2.0

import Glibc
import SampleAccounts
import TokenCaching

/// The operations on one cache.
public final class Workbench {
    let folder: CacheFolder
    let cache: TokenCache
    /// Of another application of the family.
    let sibling: TokenCache
    let names: [Names]

    /// Opens the cache in `folder`, and uses so many of its accounts once that tables are of a real size.
    public init(_ folder: CacheFolder, using used: Int = 1_000) throws {
        self.folder = folder
        cache = try folder.open()
        sibling = try folder.open(clientID: CacheFolder.sibling)
        names = folder.chosen.map { Names($0, folder) }
        for index in 0..<min(used, folder.count) { _ = try cache.token(for: folder.query(index)) }
    }

    /// All of them, in the order in which they are reported. Those at the end change what is stored.
    public var operations: [Operation] {
        repeatedLookups + renewalsOfGoodTokens + newLookups + silentRequests + silentFloors + handOuts + lists + changes
    }

    /// The names of all operations, those that are not counted included.
    public static let names: [String] =
        LookupKind.all.map { "hit-" + $0.name } + ["renew-valid", "query-building"]
        + LookupKind.all.map { "new-" + $0.name } + [
            "hand-out-prepared", "hand-out-from-strings", "account-by-username", "accounts", "two-threads-same",
            "two-threads-random", "open-to-first-token", "save-response", "foreign-change", "sign-out", "import",
            "export",
        ]

    /// The operation of that name.
    public func operation(named name: String) throws -> Operation {
        guard let found = (operations + others).first(where: { $0.name == name }) else {
            throw UnexpectedOutcome(operation: name)
        }
        return found
    }

    /// Lookups by queries that were asked before: what an application does all day.
    public var repeatedLookups: [Operation] {
        LookupKind.all.map { kind in
            let cache = kind.asksAsSibling ? sibling : cache
            let queries = names.map(kind.query)
            for query in queries { _ = try? cache.token(for: query) }
            return Operation("hit-" + kind.name, rounds: 2_000, asSibling: kind.asksAsSibling) { round in
                guard kind.expects(try cache.token(for: queries[round % queries.count])) else {
                    throw UnexpectedOutcome(operation: kind.name)
                }
            }
        }
    }

    /// Renewals of tokens that are good, by queries that were asked before: what an application does that always renews.
    public var renewalsOfGoodTokens: [Operation] {
        let (cache, queries) = (cache, names.map(LookupKind.all[0].query))
        for query in queries { _ = try? cache.token(for: query) }
        return [
            Operation("renew-valid", rounds: 2_000) { round in
                guard
                    case .valid = try cache.renewSynchronously(
                        queries[round % queries.count],
                        redeeming: { _ in .unavailable }
                    )
                else { throw UnexpectedOutcome(operation: "renew-valid") }
            },
            Operation(
                "renew-valid-async",
                rounds: 2_000,
                asynchronously: { round in
                    let decision = try await cache.renew(queries[round % queries.count]) { _ in .unavailable }
                    guard case .valid = decision else { throw UnexpectedOutcome(operation: "renew-valid-async") }
                }
            ),
        ]
    }

    /// One round asks for every account in `order`, with a query for each.
    public func hits(in order: [Int]) -> Operation {
        let cache = cache
        let queries = (0..<folder.count).map(folder.query)
        for query in queries { _ = try? cache.token(for: query) }
        return Operation("hits-in-order", rounds: 1) { _ in
            for index in order {
                guard case .valid = try cache.token(for: queries[index]) else {
                    throw UnexpectedOutcome(operation: "hits-in-order")
                }
            }
        }
    }

    /// One round asks for one account, by a query of its own that was asked before.
    public func repeatedHit(_ account: Int) -> Operation {
        let (cache, query) = (cache, folder.query(account))
        _ = try? cache.token(for: query)
        return Operation("repeated-hit", rounds: 1_000) { _ in
            guard case .valid = try cache.token(for: query) else { throw UnexpectedOutcome(operation: "repeated-hit") }
        }
    }

    /// One round takes the token of every account in `order` in hand, from strings.
    public func handOuts(in order: [Int], scopes: [String]) -> Operation {
        let (cache, accounts) = (cache, folder.accounts)
        let names = (0..<folder.count).map { (accounts.homeAccountID($0), accounts.tenant($0)) }
        return Operation("hand-outs-in-order", rounds: 1) { _ in
            for index in order {
                let (id, tenant) = names[index]
                let query = TokenQuery(
                    accountID: Account.ID(id),
                    scopes: scopes,
                    tenant: tenant,
                    environment: CacheFolder.host
                )
                guard case .valid(let token) = try cache.token(for: query) else {
                    throw UnexpectedOutcome(operation: "hand-outs-in-order")
                }
                blackHole(try token.withSecret { $0.byteCount })
            }
        }
    }

    /// The same with a query made for the occasion.
    private var newLookups: [Operation] {
        [makingQueries]
            + LookupKind.all.map { kind in
                let cache = kind.asksAsSibling ? sibling : cache
                let names = names
                for name in names { _ = try? cache.token(for: kind.query(name)) }
                return Operation("new-" + kind.name, rounds: 1_000, asSibling: kind.asksAsSibling) { round in
                    guard kind.expects(try cache.token(for: kind.query(names[round % names.count]))) else {
                        throw UnexpectedOutcome(operation: kind.name)
                    }
                }
            }
    }

    private var makingQueries: Operation {
        let names = names
        let make = LookupKind.all[0].query
        return Operation("query-building", rounds: 1_000) { round in
            blackHole(make(names[round % names.count]))
        }
    }

    private var handOuts: [Operation] {
        let (cache, names) = (cache, names)
        let make = LookupKind.all[0].query
        let queries = names.map(make)
        func open(_ query: TokenQuery) throws {
            guard case .valid(let token) = try cache.token(for: query) else {
                throw UnexpectedOutcome(operation: "hand-out")
            }
            guard try token.withSecret({ $0.byteCount }) == SampleAccounts.accessTokenByteCount else {
                throw UnexpectedOutcome(operation: "hand-out")
            }
        }
        return [
            Operation("hand-out-prepared", rounds: 1_000) { try open(queries[$0 % queries.count]) },
            Operation("hand-out-from-strings", rounds: 1_000) { try open(make(names[$0 % names.count])) },
        ]
    }

    /// What the id tokens of the accounts say of a person, decoded: their opening included.
    public var idTokenClaims: Operation {
        let (cache, folder) = (cache, folder)
        let idTokens = (0..<names.count).map { index in try? cache.idToken(for: folder.query(folder.chosen[index])) }
        return Operation("id-token-claims", rounds: 500) { round in
            guard try idTokens[round % idTokens.count]?.claims != nil else {
                throw UnexpectedOutcome(operation: "id-token-claims")
            }
        }
    }

    private var lists: [Operation] {
        let (cache, names) = (cache, names)
        return [
            Operation("account-by-username", rounds: 500) { round in
                let filter = AccountFilter(username: names[round % names.count].username)
                guard try cache.accounts(matching: filter).count == 1 else {
                    throw UnexpectedOutcome(operation: "account-by-username")
                }
            }
        ]
    }
}

/// Keeps the optimiser from dropping what was made.
@inline(never)
public func blackHole<Value>(_ value: Value) {}
