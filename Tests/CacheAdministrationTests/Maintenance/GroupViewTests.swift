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

    @Test("leaves the group open where it is closed or given up, and other views with it")
    func closing() throws {
        let group = try group()
        let view = try group.tokenCache(clientID: "client")
        try group.tokenCache(clientID: "client").close()
        _ = try group.tokenCache(clientID: "client").accounts()
        #expect(try view.accounts().count == 1)
        #expect(try group.statistics().accountCount == 1)
    }

    @Test("keeps the group, even without another owner")
    func keeping() throws {
        let view = try group().tokenCache(clientID: "client")
        #expect(try view.accounts().count == 1)
    }

    @Test("ends with the group")
    func ending() throws {
        let group = try group()
        let view = try group.tokenCache(clientID: "client")
        group.close()
        let error = #expect(throws: TokenCacheError.self) {
            try view.token(for: TokenQuery(accountID: "uid.utid", scopes: ["user.read"]))
        }
        #expect(error?.code == .closed)
    }

    @Test("has the time of the whole command, or with options a time of its own for each call")
    func time() throws {
        let fixture = fixture
        try fixture.create().store.close()
        let time = SharedTimeout(.seconds(2))
        let group = try CacheGroup.open("group", root: fixture.scratch.path, access: .readWrite, sharing: time)
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
