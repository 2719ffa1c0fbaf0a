// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Asynchronous forms of calls", .timeLimit(.minutes(10)))
struct AsyncCallTests {
    /// What an application has of a group with one account.
    struct Scene: Sendable {
        let group: TestGroup
        let store: WatchedStore
        let cache: TokenCache
        let saved: SavedTokens
        let account: Account
        let refreshToken: RefreshToken

        init() throws {
            group = try TestGroup()
            (store, cache) = try group.watchedCache()
            saved = try TestResponse.signIn().saveAll(in: cache)
            account = try #require(saved.account)
            // Of another process, so that there is something to read.
            try group.put(.idToken(realm: "guest"))
            let forced = MatchingCase.query("user.read", options: TokenQueryOptions(forceRefresh: true))
            guard case .renew(let token, _) = try cache.token(for: forced) else { throw Unexpected() }
            refreshToken = token
        }
    }

    struct Call: Sendable, CustomTestStringConvertible {
        let name: String
        let run: @Sendable (Scene) async throws -> Void

        var testDescription: String { name }

        init(_ name: String, _ run: @escaping @Sendable (Scene) async throws -> Void) {
            self.name = name
            self.run = run
        }
    }

    static let calls = [
        Call("TokenCache.token") { scene in
            let decision = try await scene.cache.token(for: MatchingCase.query("user.read"))
            #expect(try decision.summary() == "valid at")
        },
        Call("TokenCache.diagnosis") { scene in
            let diagnosis = try await scene.cache.diagnosis(of: MatchingCase.query("mail.read"))
            #expect(diagnosis.nearestToken?.shortfalls.isEmpty == false && diagnosis.refreshToken != nil)
        },
        Call("TokenCache.save") { scene in
            let response = TestResponse.signIn(accessToken: "new")
            let saved = try await scene.cache.save(TokenResponse(json: response.body), for: response.request)
            #expect(
                saved.account?.id == TestGroup.accountID && saved.grantedScopes == ["User.Read", "openid", "profile"]
            )
        },
        Call("TokenCache.accounts") { scene in
            let (all, none) = (
                try await scene.cache.accounts(),
                try await scene.cache.accounts(matching: AccountFilter(id: "no.one"))
            )
            #expect(all == [scene.account] && none.isEmpty)
        },
        Call("TokenCache.currentAccount") { scene in
            let account = try await scene.cache.currentAccount()
            #expect(account.current == scene.account)
        },
        Call("TokenCache.idToken") { scene in
            let byAccount = try await scene.cache.idToken(for: scene.account)
            let byQuery = try await scene.cache.idToken(for: MatchingCase.query("user.read"))
            #expect(byAccount?.tenant == "utid" && byQuery?.tenant == "utid")
        },
        Call("TokenCache.claims") { scene in
            let claims = try await scene.cache.claims(for: scene.account.tenantProfiles[0])
            #expect(claims?.subject == "subject")
        },
        Call("TokenCache.signOut") { scene in
            try await scene.cache.signOut(scene.account)
            #expect(try await scene.cache.accounts().isEmpty)
            try await scene.cache.signOut(accountID: "some.body")
        },
        Call("TokenCache.wipe") { scene in
            try await scene.cache.wipe(scene.account)
            #expect(try await scene.group.cache().accounts(matching: .all).isEmpty)
            try await scene.cache.wipe(accountID: "some.body")
        },
        Call("TokenCache.forgetRevocations") { scene in
            let count = try await scene.cache.forgetRevocations(accountID: scene.account.id)
            #expect(count == 0)
        },
        Call("TokenCache.lastWipe") { scene in
            try await scene.cache.wipe(scene.account)
            #expect(try await scene.cache.lastWipe(accountID: scene.account.id)?.clientID == TestGroup.client)
        },
        Call("TokenCache.clearAll") { scene in
            try await scene.cache.clearAll()
            #expect(try scene.group.entries().isEmpty)
        },
        Call("TokenCache.lastRemoval") { scene in
            try await scene.cache.clearAll()
            #expect(try await scene.cache.lastRemoval()?.scope == .group)
        },
        Call("TokenCache.learn") { scene in
            let entry = CloudMetadataTests.entry("a.example", "a.example", ["b.example"])
            try await scene.cache.learn(
                try CloudMetadata(discoveryJSON: Array(CloudMetadataTests.document(entry).utf8))
            )
        },
        Call("TokenCache.noteRefusal") { scene in
            let response = TokenErrorResponse(error: "invalid_grant", suberror: "bad_token")
            let consequence = try await scene.cache.noteRefusal(of: scene.refreshToken, response: response)
            #expect(consequence == .removed)
        },
        Call("TokenCache.renew") { scene in
            let result = try await scene.cache.renew(MatchingCase.query("user.read")) { _ in .unavailable }
            #expect(try result.summary() == "valid at")
        },
        Call("TokenCache.acquireApplicationToken") { scene in
            let query = TokenQuery(applicationScopes: ["a/.default"], tenant: "utid", environment: "login.example")
            let error = await #expect(throws: TokenCacheError.self) {
                _ = try await scene.cache.acquireApplicationToken(query) { .unavailable }
            }
            #expect(error?.code == .renewalUnavailable)
        },
        Call("RefreshToken.next") { scene in
            let next = try await scene.refreshToken.next()
            #expect(next == nil)
        },
        Call("SavedTokens.accessToken") { scene in
            let token = try await scene.saved.accessToken()
            #expect(try token?.secretString == "at")
        },
    ]

    /// Whether what runs belongs to a task of the test, and so to a thread of Swift's pool.
    @TaskLocal private static var isTask = false

    @Test(
        "do the same as the synchronous ones, and never touch the store on a thread of the cooperative pool",
        arguments: calls
    )
    func threads(call: Call) async throws {
        let scene = try Scene()
        let touchedByTask = Mutex(false)
        let note: @Sendable () -> Void = { if Self.isTask { touchedByTask.withLock { $0 = true } } }
        scene.store.order { orders in
            orders.beforeContents = note
            orders.beforeBody = note
        }
        try await Self.$isTask.withValue(true) { try await call.run(scene) }
        #expect(!touchedByTask.withLock { $0 })
    }

    @Test("are there for every call that may wait")
    func complete() throws {
        // These read one record, and wait for no lock and no keyring; others have an asynchronous form of another name.
        let others = [
            "withSecret", "secretString", "withClaims", "renewSynchronously", "acquireApplicationTokenSynchronously",
        ]
        let declared = try PublicCalls.all.filter { call in
            !["CacheGroup.", "EntryDetail.", "GroupWatch.", "IDToken."].contains { call.hasPrefix($0) }
                && !others.contains { call.hasSuffix(".\($0)") }
        }
        #expect(declared.count >= 15)
        #expect(declared.subtracting(Self.calls.map(\.name)).sorted() == [])
    }

    @Test("are finished though the task was cancelled, so that no response is lost")
    func cancelled() async throws {
        let group = try TestGroup()
        let cache = try group.cache()
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            let response = TestResponse.signIn()
            return try await cache.save(TokenResponse(json: response.body), for: response.request).account?.id
        }
        task.cancel()
        #expect(try await task.value == TestGroup.accountID)
        #expect(try await cache.accounts().count == 1)
    }
}
