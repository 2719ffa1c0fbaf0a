// SPDX-License-Identifier: Apache-2.0

import Testing
import TokenCaching

@testable import TokenAcquisition

@Suite struct SignOutTests {
    static let revocation = "\(Contoso.host)/revoke"

    private func contoso(revokes: Bool = true) throws -> (Contoso, Account) {
        let contoso = try Contoso()
        if revokes { contoso.publish(tenant: Contoso.tenant, ["revocation_endpoint": Self.revocation]) }
        return (contoso, try contoso.signIn())
    }

    private let asking: SignOutRequest = {
        var request = SignOutRequest()
        request.revokesTokens = true
        return request
    }()

    @Test func `signing out needs no server, and refuses silent requests`() async throws {
        let (contoso, account) = try contoso()
        #expect(try await contoso.client.signOut(account).revocation == .notAsked)
        let error = await contoso.failure(account)
        #expect(error?.code == .interactionRequired && error?.reason == .signedOut)
        #expect(try await contoso.client.accounts().isEmpty)
        #expect(contoso.server.posts.isEmpty)
    }

    @Test func `the refresh token is revoked where the server offers that`() async throws {
        let (contoso, account) = try contoso()
        contoso.server.answer(status: 200, "")
        #expect(try await contoso.client.signOut(account, asking).revocation == .done)
        let post = try #require(contoso.server.posts.first)
        #expect(post.url == Self.revocation)
        #expect(post.form == ["client_id": Contoso.clientID, "token": "rt-1", "token_type_hint": "refresh_token"])
    }

    @Test func `the account is signed out even if revocation fails or is not offered`() async throws {
        let (contoso, account) = try contoso()
        contoso.server.answer(status: 401, json(["error": "invalid_client"]))
        guard case .failed(let error) = try await contoso.client.signOut(account, asking).revocation else {
            Issue.record("it did not fail")
            return
        }
        #expect(error.code == .serverRefused)
        #expect(try await contoso.client.accounts().isEmpty)

        let (other, otherAccount) = try self.contoso(revokes: false)
        #expect(try await other.client.signOut(otherAccount, asking).revocation == .notSupported)
        #expect(try await other.client.accounts().isEmpty)
    }

    @Test func `a family's token is not revoked`() async throws {
        let contoso = try Contoso()
        contoso.publish(tenant: Contoso.tenant, ["revocation_endpoint": Self.revocation])
        let account = try contoso.signIn("1", ["foci": "1"])
        #expect(try await contoso.client.signOut(account, asking).revocation == .done)
        #expect(contoso.server.posts.isEmpty)
    }

    @Test func `an account is wiped for all applications if asked`() async throws {
        let (contoso, account) = try contoso()
        var request = SignOutRequest()
        request.wipesAccount = true
        try await contoso.client.signOut(account, request)
        #expect(try await contoso.client.accounts(matching: .all).isEmpty)
    }

    // MARK: - Migration

    @Test func `a refresh token of another library becomes a sign-in`() async throws {
        let contoso = try Contoso()
        contoso.server.answer(contoso.tokens("1"))
        let result = try await contoso.client.acquireToken(
            redeeming: "old-rt",
            MigrationRequest(scopes: ["User.Read"])
        )
        #expect(result.source == .migration)
        #expect(contoso.server.posts.first?.form["refresh_token"] == "old-rt")
        #expect(contoso.server.posts.first?.url == "\(Contoso.host)/common/oauth2/v2.0/token")
        let account = try #require(try result.account)
        #expect(try await contoso.client.account(id: account.id)?.username == "ada@contoso.example")
        contoso.clock.advance(by: 4000)
        contoso.server.answer(contoso.tokens("2"))
        #expect(try await contoso.silent(account).accessToken.secretString == "at-2")
        #expect(contoso.server.posts.last?.form["refresh_token"] == "rt-1")
    }

    @Test func `a refresh token that is not accepted leaves nothing`() async throws {
        let contoso = try Contoso()
        contoso.server.answer(status: 400, json(["error": "invalid_grant"]))
        let error = await #expect(throws: AcquisitionError.self) {
            try await contoso.client.acquireToken(redeeming: "old", MigrationRequest(scopes: ["User.Read"]))
        }
        #expect(error?.code == .interactionRequired)
        #expect(try await contoso.client.accounts(matching: .all).isEmpty)
    }
}
