// SPDX-License-Identifier: Apache-2.0

import Foundation
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
        #expect(try await contoso.client.signOut(account, with: asking).revocation == .done)
        let post = try #require(contoso.server.posts.first)
        #expect(post.url == Self.revocation)
        #expect(post.form == ["client_id": Contoso.clientID, "token": "rt-1", "token_type_hint": "refresh_token"])
    }

    @Test func `the requests of a sign-out have its correlation id`() async throws {
        let (contoso, account) = try contoso()
        contoso.server.answer(status: 200, "")
        var request = asking
        request.correlationID = CorrelationID("0a1b2c3d-0000-4000-8000-000000000001")
        #expect(try await contoso.client.signOut(account, with: request).revocation == .done)
        let sent = contoso.server.posts.first?.headers["client-request-id"]
        #expect(sent == "0a1b2c3d-0000-4000-8000-000000000001")
    }

    @Test func `the account is signed out even if revocation fails or is not offered`() async throws {
        let (contoso, account) = try contoso()
        contoso.server.answer(status: 401, json(["error": "invalid_client"]))
        guard case .failed(let error) = try await contoso.client.signOut(account, with: asking).revocation else {
            Issue.record("it did not fail")
            return
        }
        #expect(error.code == .serverRefused)
        #expect(try await contoso.client.accounts().isEmpty)

        let (other, otherAccount) = try self.contoso(revokes: false)
        #expect(try await other.client.signOut(otherAccount, with: asking).revocation == .notSupported)
        #expect(try await other.client.accounts().isEmpty)
    }

    @Test func `a family's token is not revoked`() async throws {
        let contoso = try Contoso()
        contoso.publish(tenant: Contoso.tenant, ["revocation_endpoint": Self.revocation])
        let account = try contoso.signIn("1", ["foci": "1"])
        #expect(try await contoso.client.signOut(account, with: asking).revocation == .nothingToDo)
        #expect(contoso.server.posts.isEmpty)
    }

    @Test func `a sign-out that finds no refresh token of its authority does not say that it revoked one`() async throws
    {
        let (contoso, account) = try contoso()
        var request = asking
        request.authority = try .openIDConnect(issuer: "https://idp.example")
        #expect(try await contoso.client.signOut(account, with: request).revocation == .nothingToDo)
    }

    @Test func `an account is wiped for all applications if asked`() async throws {
        let (contoso, account) = try contoso()
        var request = SignOutRequest()
        request.wipesAccount = true
        try await contoso.client.signOut(account, with: request)
        #expect(try await contoso.client.accounts(matching: .all).isEmpty)
    }

    // MARK: - The session in the browser

    private static func endingSession(timeout: Duration = .seconds(20)) -> SignOutRequest {
        var request = SignOutRequest()
        request.endsBrowserSession = true
        request.timeout = timeout
        return request
    }

    @Test func `the browser's session is ended at the server, which is told whose`() async throws {
        let (contoso, account) = try contoso()
        let browser = FakeBrowser()
        browser.answer { query in
            let state = query["state"] ?? ""
            return [
                redirect(.query, [:]), redirect(.query, ["state": "x"]), redirect(.query, ["code": "c"]),
                redirect(.query, ["state": state]), redirect(.query, ["state": state]),
            ]
        }
        let report = try await contoso.client(browser).signOut(account, with: Self.endingSession())
        #expect(report.browserSession == .done && report.revocation == .notAsked)
        #expect(browser.opened == ["http://localhost:49152/start"])
        #expect(browser.authorizationURL.hasPrefix("\(Contoso.host)/common/oauth2/v2.0/logout?"))
        let query = browser.query
        #expect(query["state"]?.count == 43)
        #expect(query["logout_hint"] == "ada@contoso.example")
        #expect(query["post_logout_redirect_uri"] == "http://localhost:49152")
        #expect(query["client_id"] == Contoso.clientID)
        #expect(query.count == 4, "Entra gets no id token")
        #expect(browser.verdicts == [.foreign, .foreign, .foreign, .completed])
        #expect(browser.closed == 1)
        #expect(try await contoso.client.accounts().isEmpty)
    }

    @Test func `a claim that Entra issues for the purpose is the hint`() async throws {
        let contoso = try Contoso()
        let token = idToken(contoso.claims.merging(["login_hint": "O.opaque"]) { $1 })
        let account = try contoso.signIn("1", ["id_token": token])
        let browser = FakeBrowser()
        browser.answer { [redirect(.query, ["state": $0["state"] ?? ""])] }
        _ = try await contoso.client(browser).signOut(account, with: Self.endingSession())
        #expect(browser.query["logout_hint"] == "O.opaque")
    }

    @Test(arguments: [true, false], ["openid-configuration", "oauth-authorization-server"])
    func `other servers get the id token, unless it is too long, wherever their metadata names the endpoint`(
        _ isLong: Bool,
        _ document: String
    ) async throws {
        let issuer = "https://idp.example"
        let authority = try Authority.openIDConnect(issuer: issuer)
        let contoso = try Contoso { $0.authority = authority }
        let members = ["issuer": issuer, "token_endpoint": "\(issuer)/token"]
        contoso.server.publish(json(members), at: "\(issuer)/.well-known/openid-configuration")
        contoso.server.publish(
            json(members.merging(["end_session_endpoint": "\(issuer)/end?a=b"]) { $1 }),
            at: "\(issuer)/.well-known/\(document)"
        )
        let token = idToken([
            "iss": issuer, "aud": Contoso.clientID, "sub": "ada", "exp": contoso.clock.now + 60,
            "iat": contoso.clock.now, "preferred_username": "ada",
            "x": String(repeating: "x", count: isLong ? 8000 : 1),
        ])
        let saved = try await contoso.cache.save(
            TokenResponse(json: Array(json(["access_token": "at", "id_token": token, "expires_in": 60]).utf8)),
            for: TokenRequest(environment: "idp.example", tenant: "", scopes: ["a"], grant: .interactive)
        )
        let browser = FakeBrowser()
        browser.answer { [redirect(.query, ["state": $0["state"] ?? ""])] }
        let client = try contoso.client(browser)
        let account = try #require(saved.account)
        let report = try await client.signOut(account, with: Self.endingSession())
        #expect(report.browserSession == .done)
        #expect(browser.authorizationURL.hasPrefix("\(issuer)/end?a=b&client_id="))
        #expect(browser.query["id_token_hint"] == (isLong ? nil : token))
        #expect(browser.query["logout_hint"] == "ada")
    }

    @Test func `the account is signed out whatever becomes of the browser`() async throws {
        func outcome(
            _ prepare: (Contoso, FakeBrowser) -> Void = { _, _ in },
            without isWithout: Bool = false,
            timeout: Duration = .seconds(30)
        ) async throws -> SignOutReport.Outcome {
            let (contoso, account) = try contoso()
            let browser = FakeBrowser()
            prepare(contoso, browser)
            let client = try isWithout ? contoso.client : contoso.client(browser)
            let report = try await client.signOut(account, with: Self.endingSession(timeout: timeout))
            #expect(try await client.accounts().isEmpty)
            #expect(browser.closed == browser.opened.count)
            return report.browserSession
        }
        func code(_ outcome: SignOutReport.Outcome) -> AcquisitionError.Code? {
            if case .failed(let error) = outcome { error.code } else { nil }
        }
        #expect(code(try await outcome(without: true)) == .browserMissing)
        #expect(code(try await outcome { $1.fail(AcquisitionError(.browserMissing)) }) == .browserMissing)
        #expect(code(try await outcome(timeout: .seconds(1))) == .timeout)
        #expect(
            code(
                try await outcome {
                    $1.answer { [redirect(.query, ["state": $0["state"] ?? "", "error": "access_denied"])] }
                }
            ) == .serverRefused
        )
        #expect(
            try await outcome { contoso, _ in
                contoso.publish(tenant: "common", ["end_session_endpoint": NSNull()])
            } == .notSupported
        )
    }

    @Test func `a sign-out that is cancelled in the browser has signed out`() async throws {
        let (contoso, account) = try contoso()
        let browser = FakeBrowser()
        let client = try contoso.client(browser)
        let task = Task { try await client.signOut(account, with: Self.endingSession()) }
        while browser.opened.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        #expect(try await client.accounts().isEmpty)
        task.cancel()
        guard case .failed(let error) = try await task.value.browserSession else {
            Issue.record("it did not fail")
            return
        }
        #expect(error.code == .cancelled)
    }

    // MARK: - Migration

    @Test func `a refresh token of another library becomes a sign-in`() async throws {
        let contoso = try Contoso()
        contoso.server.answer(contoso.tokens("1"))
        let result = try await contoso.client.acquireToken(
            MigrationRequest(scopes: ["User.Read"]),
            redeeming: "old-rt"
        )
        #expect(result.source == .migration)
        #expect(contoso.server.posts.first?.form["refresh_token"] == "old-rt")
        #expect(contoso.server.posts.first?.url == "\(Contoso.host)/common/oauth2/v2.0/token")
        let account = try #require(try await result.account())
        #expect(try await contoso.client.account(id: account.id)?.username == "ada@contoso.example")
        contoso.clock.advance(by: 4000)
        contoso.server.answer(contoso.tokens("2"))
        #expect(try await contoso.silent(account).accessToken.secretString == "at-2")
        #expect(contoso.server.posts.last?.form["refresh_token"] == "rt-1")
    }

    @Test func `a refresh token that gets the id token of another application becomes no sign-in`() async throws {
        let contoso = try Contoso()
        contoso.server.answer(contoso.tokens("1", claims: ["aud": "another"]))
        let error = await #expect(throws: AcquisitionError.self) {
            try await contoso.client.acquireToken(MigrationRequest(scopes: ["User.Read"]), redeeming: "old")
        }
        #expect(error?.code == .idTokenRejected)
        #expect(try await contoso.client.accounts(matching: .all).isEmpty)
    }

    @Test(arguments: [("", ["User.Read"]), ("old", []), ("old", [""])])
    func `without a refresh token or a scope nothing is sent`(_ token: String, _ scopes: [String]) async throws {
        let contoso = try Contoso()
        let error = await #expect(throws: AcquisitionError.self) {
            try await contoso.client.acquireToken(MigrationRequest(scopes: scopes), redeeming: token)
        }
        #expect(error?.code == .requestRejected)
        #expect(contoso.server.posts.isEmpty && contoso.server.gets.isEmpty)
    }

    @Test func `a migration without time sends nothing`() async throws {
        let contoso = try Contoso()
        var request = MigrationRequest(scopes: ["User.Read"])
        request.timeout = .zero
        let error = await #expect(throws: AcquisitionError.self) {
            try await contoso.client.acquireToken(request, redeeming: "old")
        }
        #expect(error?.code == .timeout)
        #expect(contoso.server.posts.isEmpty)
    }

    @Test func `a refresh token that is not accepted leaves nothing`() async throws {
        let contoso = try Contoso()
        contoso.server.answer(status: 400, json(["error": "invalid_grant"]))
        let error = await #expect(throws: AcquisitionError.self) {
            try await contoso.client.acquireToken(MigrationRequest(scopes: ["User.Read"]), redeeming: "old")
        }
        #expect(error?.code == .interactionRequired)
        #expect(try await contoso.client.accounts(matching: .all).isEmpty)
    }
}
