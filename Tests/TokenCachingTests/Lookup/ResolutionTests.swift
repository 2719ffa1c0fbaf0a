// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import RecordStorage
import Testing

@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Names lead to accounts without a search each time")
struct ResolutionTests {
    let group: TestGroup
    let store: WatchedStore
    let cache: TokenCache

    init() throws {
        group = try TestGroup()
        (store, cache) = try group.watchedCache()
    }

    private func query(username: String) -> TokenQuery { TokenQuery(username: username, scopes: ["user.read"]) }
    private func query(id: String) -> TokenQuery { TokenQuery(accountID: Account.ID(id), scopes: ["user.read"]) }

    @Test("an unknown username and an unknown id are read from the store once, as long as nothing changes")
    func remembered() throws {
        try group.put(.account(), .accessToken())
        let queries = [
            { query(username: "ANN@contoso.com") }, { query(username: "nobody") }, { query(id: "no.body") },
        ]
        let expected = ["valid at", "interaction accountUnknown", "interaction accountUnknown"]
        for (make, expected) in zip(queries, expected) {
            #expect(try cache.token(for: make()).summary() == expected)
            let before = store.order { $0.contentsCount }
            #expect(try cache.token(for: make()).summary() == expected)
            #expect(store.order { $0.contentsCount } == before)
        }
    }

    @Test("changes of other accounts do not make names be resolved again")
    func busyGroup() throws {
        try group.put(.account(), .accessToken())
        let queries = [
            { query(username: "ann@contoso.com") }, { query(username: "nobody") }, { query(id: "no.body") },
        ]
        let expected = ["valid at", "interaction accountUnknown", "interaction accountUnknown"]
        for make in queries { _ = try cache.token(for: make()) }
        let before = store.order { $0.contentsCount }
        for round in 1...10 {
            try group.put(.account("bob@contoso.com", account: "x.y"), .accessToken("\(round)", account: "x.y"))
            for (make, expected) in zip(queries, expected) {
                #expect(try cache.token(for: make()).summary() == expected)
            }
        }
        #expect(store.order { $0.contentsCount } == before)
    }

    @Test("a name that leads to another account since is followed there")
    func moved() throws {
        try group.put(.account("ann@contoso.com"), .accessToken("one"))
        #expect(try cache.token(for: query(username: "ann@contoso.com")).summary() == "valid one")
        try group.remove(.account("ann@contoso.com"))
        try group.put(.account("ann@contoso.com", account: "x.y"), .accessToken("two", account: "x.y", realm: "y"))
        #expect(try cache.token(for: query(username: "ann@contoso.com")).summary() == "valid two")
    }

    @Test("one name asked for as id and as username leads to two places")
    func subjects() throws {
        try group.put(.account("uid.utid", account: "x.y"), .accessToken("theirs", account: "x.y", realm: "y"))
        try group.put(.accessToken("own"))
        for _ in 1...2 {
            #expect(try cache.token(for: query(username: "uid.utid")).summary() == "valid theirs")
            #expect(try cache.token(for: query(id: "uid.utid")).summary() == "valid own")
        }
    }

    @Test("any change makes names be resolved again")
    func changes() throws {
        #expect(try cache.token(for: query(username: "ann@contoso.com")).summary() == "interaction accountUnknown")
        #expect(try cache.token(for: query(id: TestGroup.account)).summary() == "interaction accountUnknown")
        try group.put(.account(), .accessToken())
        #expect(try cache.token(for: query(username: "ann@contoso.com")).summary() == "valid at")
        #expect(try cache.token(for: query(id: TestGroup.account)).summary() == "valid at")
        try group.put(.account("ann@contoso.com", account: "x.y"), .refreshToken(account: "x.y"))
        #expect(try cache.token(for: query(username: "ann@contoso.com")).summary() == "interaction severalAccounts")
    }

    @Test("however many names are asked for, only so many are remembered")
    func bounded() throws {
        var resolutions = ResolutionCache()
        _ = try cache.token(for: query(username: "nobody"))
        let facts = try cache.engine.facts(
            of: cache.engine.groupPartition,
            Freshness(grade: .current(0), deadline: .standard)
        )
        for index in 0...ResolutionCache.limit {
            let resolution = CachedResolution(
                subject: .username,
                name: Array("\(index)".utf8),
                resolution: .found(facts),
                partitions: [],
                searchTag: nil,
                moment: 0
            )
            resolutions.keep(resolution, hash: UInt64(index))
        }
        let last = Array("\(ResolutionCache.limit)".utf8)
        #expect(resolutions[.username, last.rawSpan, UInt64(ResolutionCache.limit)] != nil)
        #expect(resolutions[.username, Array("0".utf8).rawSpan, 0] == nil)
        #expect(resolutions[.homeAccountID, last.rawSpan, UInt64(ResolutionCache.limit)] == nil)
        #expect(resolutions[.username, Array("other".utf8).rawSpan, UInt64(ResolutionCache.limit)] == nil)
    }
}
