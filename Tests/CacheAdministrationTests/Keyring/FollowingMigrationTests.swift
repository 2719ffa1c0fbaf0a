// SPDX-License-Identifier: Apache-2.0

import Foundation
import GroupDirectory
import Programs
import RecordStorage
import Testing

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

/// A process has a group open while another one takes it to another store.
@Suite("A handle on a group that is migrated", .serialized, .timeLimit(.minutes(Scale.pick(10, release: 240))))
struct FollowingMigrationTests {
    typealias Store = MovingGroup.Store

    static let ways = KilledMigrationTests.ways

    private static func open(_ group: MovingGroup) throws -> TokenCache {
        let opened = try group.fixture.open()
        return try TokenCache(
            store: opened.store,
            unlockedKeys: opened.unlockedKeys,
            clientID: MovingGroup.client,
            options: TokenCacheOptions(timeout: .seconds(20))
        )
    }

    /// The token of an account, and the code of the error where there is one.
    private static func answer(_ cache: TokenCache, _ account: Int) -> (token: String?, code: TokenCacheError.Code?) {
        do throws(TokenCacheError) {
            guard case .valid(let token) = try cache.token(for: MovingGroup.query(account)) else { return (nil, nil) }
            return (try token.secretString, nil)
        } catch {
            return (nil, error.code)
        }
    }

    @Test("gets correct answers until the group has moved, and storageMismatch afterwards", arguments: ways)
    func answers(way: (from: Store, to: Store)) throws {
        let group = try MovingGroup(in: way.from)
        let cache = try Self.open(group)
        #expect(Self.answer(cache, 1).token == MovingGroup.secret(1))
        try group.kill(to: way.to, at: "\(MigrationStep.verified)")
        // One that is known, and one that was never asked for.
        #expect(Self.answer(cache, 1).token == MovingGroup.secret(1))
        #expect(Self.answer(cache, 2).token == MovingGroup.secret(2))

        try group.move(to: way.to)
        for account in [1, 2, 3] { #expect(Self.answer(cache, account).code == .storageMismatch) }
        #expect(throws: TokenCacheError.self) { try cache.accounts(matching: .all) }
        let again = try Self.open(group)
        #expect(Self.answer(again, 3).token == MovingGroup.secret(3))
    }

    @Test("an edited document of the group from before is refused, and changes nothing", arguments: ways)
    func document(way: (from: Store, to: Store)) throws {
        let group = try MovingGroup(in: way.from)
        let opened = CacheGroup(try group.fixture.open(), timeout: .seconds(20))
        var document = try opened.document(for: MovingGroup.client)
        var cache = try LibraryCache(document)
        cache.put(refreshToken: "edited", user: "user1.contoso", client: MovingGroup.client)
        try group.move(to: way.to)
        let error = #expect(throws: TokenCacheError.self) { try document.merge(cache) }
        #expect(error?.code == .storageMismatch)
        let moved = CacheGroup(try group.fixture.open(), timeout: .seconds(20))
        #expect(try moved.view(of: MovingGroup.client).tokens("RefreshToken").isEmpty)
        #expect(try moved.edit(for: MovingGroup.client) { $0 = cache }.writtenCount == 1)
    }

    private static let ownToken = TokenQuery(
        applicationScopes: ["https://graph.contoso.com/.default"],
        tenant: "contoso",
        environment: "login.microsoftonline.com"
    )

    @Test("asks no server for a token that could not be stored", arguments: ways)
    func noRenewal(way: (from: Store, to: Store)) throws {
        let group = try MovingGroup(in: way.from)
        let cache = try Self.open(group)
        func refusal() -> TokenCacheError.Code? {
            #expect(throws: TokenCacheError.self) {
                try cache.acquireApplicationTokenSynchronously(Self.ownToken, timeout: .milliseconds(100)) {
                    Issue.record("what it gets cannot be stored")
                    return .unavailable
                }
            }?.code
        }
        let leases = try #require(try group.fixture.directory().tryAllLeases())
        #expect(refusal() == .renewalBusy)
        leases.release()
        try group.move(to: way.to)
        #expect(refusal() == .storageMismatch)
    }

    @Test("renews a token in peace: the group stays until that is stored", arguments: ways)
    func renewal(way: (from: Store, to: Store)) throws {
        let group = try MovingGroup(in: way.from)
        let cache = try Self.open(group)
        let answer = Array(#"{"token_type":"Bearer","expires_in":3600,"access_token":"own"}"#.utf8)
        _ = try cache.acquireApplicationTokenSynchronously(Self.ownToken) {
            let early = try group.tryToMove(to: way.to)
            #expect(early.exitCode == 6, "\(early.messages)")
            return .response(try TokenResponse(json: answer))
        }
        try group.move(to: way.to)
        guard case .valid(let token) = try Self.open(group).token(for: Self.ownToken) else {
            Issue.record("the token is not there")
            return
        }
        #expect(try token.secretString == "own")
    }

    @Test("gets no changes from the old store before that is emptied", arguments: ways)
    func leftover(way: (from: Store, to: Store)) throws {
        let group = try MovingGroup(in: way.from)
        let cache = try Self.open(group)
        #expect(Self.answer(cache, 1).token == MovingGroup.secret(1))
        try group.kill(to: way.to, at: "\(MigrationStep.flipped)")
        // Nobody can clear up as long as this is held, so everything is in the old place still.
        let lock = try group.fixture.directory().lock(.keys, until: .standard)
        #expect(try group.run("clear", "--account", "user1.contoso", "--yes").exitCode == 0)
        lock.release()
        for account in [1, 2] { #expect(Self.answer(cache, account).code == .storageMismatch) }
        #expect(Self.answer(try Self.open(group), 1).token == nil)
    }

    @Test("gets no wrong answer whenever it asks", arguments: ways)
    func anyTime(way: (from: Store, to: Store)) throws {
        let group = try MovingGroup(in: way.from)
        let caches = try (0..<3).map { _ in try Self.open(group) }
        _ = Self.answer(caches[0], 0)
        let moving = try group.start(["migrate"] + way.to.target)
        var answers = 0
        // The first knows an account, the second asks for one after the other, the third lists.
        while moving.isRunning {
            let (known, next) = (Self.answer(caches[0], 0), Self.answer(caches[1], answers % MovingGroup.accountCount))
            answers += 1
            #expect(known.token == MovingGroup.secret(0) || known.code == .storageMismatch)
            #expect(next.token != nil || next.code == .storageMismatch, "\(next)")
            do {
                #expect(try caches[2].accounts(matching: .all).count == MovingGroup.accountCount)
            } catch {
                #expect(error.code == .storageMismatch)
            }
        }
        let done = try moving.finish()
        #expect(done.exitCode == 0, "\(done.messages)")
        #expect(answers > 10)
    }
}
