// SPDX-License-Identifier: Apache-2.0

import Foundation
import GroupDirectory
import RecordStorage
import Testing

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Apps on a kind of store that production does not know", .timeLimit(.minutes(10)))
struct ThirdStoreTests {
    let scene: ThirdStoreScene
    let query = MatchingCase.query("user.read")

    init() throws { scene = try ThirdStoreScene() }

    @Test("a saved token is found by the next process, which lists the account")
    func lookup() throws {
        let cache = try scene.cache()
        #expect(try cache.token(for: query).summary() == "valid at")
        #expect(try cache.accounts().map(\.username) == ["Ann@Contoso.com"])
        try TestResponse.signIn(accessToken: "newer").save(in: cache)
        #expect(try scene.cache().token(for: query).summary() == "valid newer")
    }

    @Test("a save is seen by another cache at its next lookup")
    func twoCaches() throws {
        let (one, two) = (try scene.cache(), try scene.cache())
        for round in 1...5 {
            try TestResponse.signIn(accessToken: "\(round)").save(in: round % 2 == 0 ? one : two)
            #expect(try one.token(for: query).summary() == "valid \(round)")
            #expect(try two.token(for: query).summary() == "valid \(round)")
        }
    }

    @Test("a sign-out applies to every cache, and erases the secrets from the files")
    func signOut() throws {
        let (one, two) = (try scene.cache(), try scene.cache())
        let account = try #require(try one.accounts().first)
        guard case .valid(let token) = try two.token(for: query) else { throw Unexpected() }
        try one.signOut(account)
        #expect(try two.token(for: query).summary().hasPrefix("interaction"))
        let error = #expect(throws: TokenCacheError.self) { try token.secretString }
        #expect(error?.code == .tokenGone)
        #expect(try two.accounts().isEmpty)
    }

    @Test("changes by others are reported as they happen")
    func changes() async throws {
        let cache = try scene.cache()
        var changes = cache.changes().makeAsyncIterator()
        try await changes.begin()
        try TestResponse.signIn(accessToken: "newer").save(in: try scene.cache(client: "other-app"))
        let change = try #require(try await changes.next())
        #expect(change.clientID == "other-app")
    }

    @Test("of several caches that want a new token one asks the server")
    func renewal() async throws {
        scene.clock.advance(by: 4000)
        let requests = Counter()
        try await withThrowingTaskGroup(of: String.self) { tasks in
            for _ in 0..<4 {
                let cache = try scene.cache()
                tasks.addTask {
                    try await cache.renew(query) { _ in
                        _ = requests.next()
                        return try TestResponse.signIn(accessToken: "new", refreshToken: "rt2").outcome
                    }
                    .summary()
                }
            }
            for try await summary in tasks { #expect(summary == "valid new") }
        }
        #expect(requests.value == 1)
    }

    @Test("a version that does not know the kind opens nothing of it, and changes nothing")
    func unknownKind() throws {
        let before = scene.fixture.scratch.files
        #expect(scene.fixture.refusal() == .unsupportedVersion)
        #expect(scene.fixture.refusal(.file(unlockedBy: .keyFile)) == .unsupportedVersion)
        let error = #expect(throws: StorageError.self) {
            try scene.fixture.opener().migrate(to: .file(unlockedBy: .keyFile), progress: nil, onStep: nil)
        }
        #expect(error?.code == .unsupportedVersion)
        #expect(throws: StorageError.self) { try scene.fixture.opener().repair(isDryRun: false) }
        #expect(scene.fixture.scratch.files == before)
    }
}
