// SPDX-License-Identifier: Apache-2.0

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

    @Test("needs the id of an application")
    func blank() throws {
        let group = try group()
        let error = #expect(throws: TokenCacheError.self) { _ = try group.tokenCache(clientID: " ") }
        #expect(error?.code == .invalidRequest)
    }
}
