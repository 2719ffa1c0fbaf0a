// SPDX-License-Identifier: Apache-2.0

import Testing
import TokenCaching

@testable import TokenAcquisition

@Suite struct AskingIfNeededTests {
    let contoso: Contoso
    let client: PublicClient
    let browser = FakeBrowser()

    init() throws {
        contoso = try Contoso()
        var services = Contoso.services(contoso.server, contoso.clock, contoso.slept)
        (services.browser, services.redirectListener) = (browser, browser)
        services.sleep = { try await Task.sleep(for: $0) }
        client = try PublicClient(contoso.client.configuration, cache: contoso.cache, services: services)
    }

    private func succeed() {
        browser.answer { query in [redirect(.query, ["code": "c-1", "state": query["state"] ?? ""])] }
        contoso.answerSignIn(in: browser, [:], claims: [:])
    }

    private func token(_ change: (inout InteractiveRequest) -> Void = { _ in }) async throws -> AuthenticationResult {
        var request = InteractiveRequest(scopes: ["User.Read"])
        request.timeout = .seconds(20)
        change(&request)
        return try await client.acquireToken(askingIfNeeded: request)
    }

    @Test func `without an account the user signs in, and is then not asked again`() async throws {
        succeed()
        #expect(try await token().source == .interactive)
        #expect(try await token().source == .cache)
        #expect(browser.opened.count == 1)
    }

    @Test func `an expired token is renewed, and the user is not asked`() async throws {
        try contoso.signIn("1")
        contoso.clock.advance(by: 4000)
        contoso.server.answer(contoso.tokens("2"))
        #expect(try await token().source == .renewal)
        #expect(browser.opened.isEmpty)
    }

    @Test func `if the server wants the user, the page asks for the claims that it requires, of that account`()
        async throws
    {
        try contoso.signIn("1")
        contoso.clock.advance(by: 4000)
        let claims = #"{"access_token":{"acrs":{"essential":true,"value":"c1"}}}"#
        contoso.server.answer(status: 400, json(["error": "interaction_required", "claims": claims]))
        succeed()
        #expect(try await token().source == .interactive)
        #expect(browser.query["claims"] == claims)
        #expect(browser.query["login_hint"] == "ada@contoso.example")
    }

    @Test func `an error that no sign-in mends is thrown, and opens no page`() async throws {
        try contoso.signIn("1")
        contoso.clock.advance(by: 4000)
        contoso.server.answer(failure: TransportError(.hostNotFound, mayHaveBeenSent: false))
        contoso.server.answer(failure: TransportError(.hostNotFound, mayHaveBeenSent: false))
        let error = await #expect(throws: AcquisitionError.self) { try await token() }
        #expect(error?.code == .networkFailed)
        #expect(browser.opened.isEmpty)
    }

    @Test(
        arguments: [
            { (request: inout InteractiveRequest) in request.loginHint = "bob@contoso.example" },
            { (request: inout InteractiveRequest) in request.maximumAge = .seconds(60) },
            { (request: inout InteractiveRequest) in request.prompt = .login },
        ] as [@Sendable (inout InteractiveRequest) -> Void]
    )
    func `the user is asked where the stored token may not be meant`(
        _ change: @Sendable (inout InteractiveRequest) -> Void
    ) async throws {
        try contoso.signIn("1")
        browser.answer { query in
            [redirect(.query, ["error": "access_denied", "state": query["state"] ?? ""])]
        }
        await #expect(throws: AcquisitionError.self) { try await token(change) }
        #expect(browser.opened.count == 1)
    }

    @Test func `the account with the name of the hint gets its token without being asked`() async throws {
        try contoso.signIn("1")
        #expect(try await token { $0.loginHint = "ADA@contoso.example" }.source == .cache)
    }

    @Test func `an account of another authority is not the one that is meant`() async throws {
        try contoso.signIn("1")
        let members = ["issuer", "authorization_endpoint", "token_endpoint"].map { name in
            (name, "https://id.fabrikam.example" + (name == "issuer" ? "" : "/\(name)"))
        }
        contoso.server.publish(
            json(Dictionary(uniqueKeysWithValues: members)),
            at: "https://id.fabrikam.example/.well-known/openid-configuration"
        )
        browser.answer { query in
            [redirect(.query, ["error": "access_denied", "state": query["state"] ?? ""])]
        }
        for hint in [nil, "ada@contoso.example"] {
            let error = await #expect(throws: AcquisitionError.self) {
                try await token {
                    $0.authority = try? .openIDConnect(issuer: "https://id.fabrikam.example")
                    $0.loginHint = hint
                }
            }
            #expect(error?.code == .declinedByUser)
            #expect(browser.query["login_hint"] == hint, "anybody may sign in")
        }
        #expect(browser.opened.count == 2 && contoso.server.posts.isEmpty)
    }

    @Test func `with a device code the user is asked only if necessary, too`() async throws {
        try contoso.signIn("1")
        let prompts = SleepLog()
        let stored = try await client.acquireToken(askingIfNeeded: DeviceCodeRequest(scopes: ["User.Read"])) { _ in
            prompts.note(.zero)
        }
        #expect(stored.source == .cache && prompts.all.isEmpty)
        contoso.clock.advance(by: 4000)
        contoso.server.answer(status: 400, json(["error": "invalid_grant"]))
        contoso.server.answer(
            json([
                "device_code": "d", "user_code": "ABCD", "verification_uri": "https://login.microsoftonline.com/device",
                "expires_in": 900,
            ])
        )
        contoso.server.answer(contoso.tokens("2"))
        let asked = try await contoso.client.acquireToken(askingIfNeeded: DeviceCodeRequest(scopes: ["User.Read"])) {
            _ in
            prompts.note(.zero)
        }
        #expect(asked.source == .deviceCode && prompts.all.count == 1)
    }
}
