// SPDX-License-Identifier: Apache-2.0

import Foundation
import GroupDirectory
import RecordStorage
import Testing
import TokenCaching

@testable import CacheAdministration
@testable import TokenCachingTestSupport

@Suite("A group as one application sees it")
struct GroupViewTests {
    let fixture = GroupFixture()

    private func group() throws -> CacheGroup {
        let group = try fixture.createGroup()
        try group.take(
            Document.sections([
                "RefreshToken": [Document.refreshToken()], "Account": [Document.account(username: "one@contoso.com")],
            ])
        )
        return group
    }

    @Test("has the accounts and the decisions of that application")
    func decisions() throws {
        let group = try group()
        let query = TokenQuery(accountID: "uid.utid", scopes: ["user.read"])
        guard case .renew = try group.tokenCache(clientID: "client").token(for: query) else {
            Issue.record("its refresh token is not found")
            return
        }
        let other = try group.tokenCache(clientID: "other")
        guard case .interactionRequired = try other.token(for: query) else {
            Issue.record("the token of another application is found")
            return
        }
        #expect(try other.accounts(matching: .all).map(\.username) == ["one@contoso.com"])
    }

    @Test("a cache of a group stays open when the group or another cache is closed, and the reverse")
    func closing() throws {
        let group = try group()
        let views = try (0..<3).map { _ in try group.tokenCache(clientID: "client") }
        views[0].close()
        #expect(try views[1].accounts().count == 1)
        #expect(try group.statistics().accountCount == 1)
        group.close()
        #expect(try views[2].accounts().count == 1)
        let error = #expect(throws: TokenCacheError.self) { try group.tokenCache(clientID: "client") }
        #expect(error?.code == .closed)
    }

    @Test("each cache of a group sees what the group and other caches change")
    func changes() throws {
        let group = try group()
        let views = try ["client", "other"].map { try group.tokenCache(clientID: $0) }
        let query = TokenQuery(accountID: "uid.utid", scopes: ["user.read"])
        func answers() throws -> [String] { try views.map { try $0.token(for: query).summary() } }
        #expect(try answers().map { $0.prefix(5) } == ["renew", "inter"])
        for secret in ["one", "two"] {
            let response = TestResponse.signIn(accessToken: secret, scope: "user.read")
            for (index, view) in views.enumerated() {
                try response.save(in: view)
                _ = try views[1 - index].accounts()
            }
            #expect(try answers() == ["valid \(secret)", "valid \(secret)"])
        }
        try views[1].wipe(accountID: "uid.utid")
        #expect(try views.map { try $0.accounts().count } == [0, 0])
        #expect(try answers().allSatisfy { $0.hasPrefix("interaction") })
        try TestResponse.signIn(scope: "user.read").save(in: views[0])
        #expect(try views.map { try $0.accounts().count } == [1, 0])
        _ = try group.clearAll()
        #expect(try views.map { try $0.accounts().count } == [0, 0])
        #expect(try answers().allSatisfy { $0.hasPrefix("interaction") })
    }

    @Test("has the time of the whole command, or with options a time of its own for each call")
    func time() throws {
        let fixture = fixture
        try fixture.create().store.close()
        let time = SharedTimeout(.seconds(2))
        let group = try GroupReference("group", root: fixture.scratch.path).open(sharing: time)
        let own = try group.tokenCache(clientID: TestGroup.client, options: TokenCacheOptions(timeout: .seconds(20)))
        let shared = try group.tokenCache(clientID: TestGroup.client)
        while time.remaining > .zero { usleep(10_000) }
        let directory = try #require(group.opened.directory)
        let (isHeld, isFree) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            try? directory.withLock(.writer, until: .after(.seconds(20))) {
                isHeld.signal()
                usleep(300_000)
            }
            isFree.signal()
        }
        isHeld.wait()
        let error = #expect(throws: TokenCacheError.self) { try TestResponse.signIn().save(in: shared) }
        #expect(error?.code == .busy)
        try TestResponse.signIn().save(in: own)
        isFree.wait()
    }

    @Test("needs the id of an application")
    func blank() throws {
        let group = try group()
        let error = #expect(throws: TokenCacheError.self) { _ = try group.tokenCache(clientID: " ") }
        #expect(error?.code == .invalidRequest)
    }
}
