// SPDX-License-Identifier: Apache-2.0

import Testing
import TokenCaching

@testable import TokenAcquisition

/// Servers without metadata and without id tokens: the application names their endpoints and the account.
@Suite struct NamedEndpointTests {
    static let endpoints = Authority.Endpoints(
        token: "https://api.example/token",
        authorization: "https://example.org/authorize",
        deviceAuthorization: "https://example.org/device"
    )

    let server = ScriptedServer()
    let clock = TestClock()
    let browser = FakeBrowser()
    let cache: TokenCache
    let client: PublicClient

    init() throws {
        try self.init(credential: nil)
    }

    private init(credential: ClientCredential?) throws {
        cache = try TokenCache(
            group: "tests",
            clientID: "app",
            storage: .memory,
            options: TokenCacheOptions(clock: clock.wallClock)
        )
        var services = Contoso.services(server, clock, SleepLog())
        (services.browser, services.redirectListener) = (browser, browser)
        var configuration = ClientConfiguration(
            clientID: "app",
            authority: try .oauth(url: "https://example.org/", endpoints: Self.endpoints)
        )
        configuration.credential = credential
        client = try PublicClient(configuration, cache: cache, services: services)
        browser.answer { query in [redirect(.query, ["code": "c-1", "state": query["state"] ?? ""])] }
    }

    private func tokens(_ suffix: String, _ changes: [String: Any] = [:]) -> String {
        let members: [String: Any] = [
            "token_type": "bearer", "scope": "", "expires_in": 3600, "access_token": "at-\(suffix)",
            "refresh_token": "rt-\(suffix)",
        ]
        return json(members.merging(changes) { $1 })
    }

    private func signIn(_ name: String, _ answer: String) async throws -> AuthenticationResult {
        server.answer(answer)
        var request = InteractiveRequest(scopes: ["repo"])
        request.accountID = Account.ID(name)
        return try await client.acquireToken(request)
    }

    @Test func `the tokens are kept for the account that the caller names, at that server`() async throws {
        let first = try await signIn("octocat", tokens("1"))
        let second = try await signIn("hubot", tokens("2"))
        for (result, name) in [(first, "octocat"), (second, "hubot")] {
            let account = try #require(try await result.account())
            #expect(account.id.homeAccountID == name && account.id.issuer == "https://example.org/")
            let silent = try await client.acquireTokenSilent(SilentRequest(scopes: ["repo"], account: account))
            #expect(try silent.source == .cache && silent.accessToken.secretString == result.accessToken.secretString)
        }
        #expect(browser.query["scope"] == "repo")
        #expect(server.posts.allSatisfy { $0.url == "https://api.example/token" } && server.gets.isEmpty)
        // The account that is known names itself in the next sign-in.
        server.answer(tokens("3"))
        let known = try #require(try await first.account())
        let again = try await client.acquireToken(InteractiveRequest(scopes: ["repo"], account: known))
        #expect(try await again.account()?.id == known.id)
    }

    @Test func `a client's secret is sent in the body, as GitHub documents it`() async throws {
        let test = try Self(credential: .secret { try ClientSecret("canary") })
        _ = try await test.signIn("octocat", test.tokens("1"))
        let post = try #require(test.server.posts.last)
        #expect(post.form["client_secret"] == "canary" && post.headers["authorization"] == nil)
    }

    @Test func `an error with the status of a success is an error`() async throws {
        let account = try #require(try await signIn("octocat", tokens("1")).account())
        clock.advance(by: 4000)
        server.answer(json(["error": "bad_refresh_token", "error_description": "octocat"]))
        let error = await #expect(throws: AcquisitionError.self) {
            try await client.acquireTokenSilent(SilentRequest(scopes: ["repo"], account: account))
        }
        #expect(error?.code == .interactionRequired && error?.errorResponse?.error == "bad_refresh_token")
        let refused = await #expect(throws: AcquisitionError.self) {
            try await signIn("octocat", json(["error": "bad_verification_code"]))
        }
        #expect(refused?.code == .serverRefused && refused?.errorResponse?.error == "bad_verification_code")
    }

    @Test func `a device code is polled for until the user has entered it`() async throws {
        let code = ["device_code": "dc", "user_code": "ABCD", "verification_uri": "https://example.org/d"]
        server.answer(json(code))
        server.answer(json(["error": "authorization_pending"]))
        server.answer(json(["error": "slow_down"]))
        server.answer(tokens("1"))
        var request = DeviceCodeRequest(scopes: ["repo"])
        request.accountID = "octocat"
        let result = try await client.acquireToken(request) { _ in }
        #expect(try await result.account()?.id.text == "octocat@https://example.org/")
        let polls = [String](repeating: "https://api.example/token", count: 3)
        #expect(server.posts.map(\.url) == ["https://example.org/device"] + polls)
    }

    @Test func `an id token that comes all the same is checked, and names nobody else`() async throws {
        let claims: [String: Any] = [
            "iss": "https://example.org/", "aud": "app", "sub": "hubot", "iat": clock.now, "exp": clock.now + 3600,
        ]
        let other = await #expect(throws: AcquisitionError.self) {
            try await signIn("octocat", tokens("1", ["id_token": idToken(claims)]))
        }
        #expect(other?.code == .accountMismatch)
        let foreign = claims.merging(["iss": "https://example.net/"]) { $1 }
        let error = await #expect(throws: AcquisitionError.self) {
            try await signIn("hubot", tokens("1", ["id_token": idToken(foreign)]))
        }
        #expect(error?.code == .issuerRejected)
        #expect(try await client.accounts().isEmpty)
        _ = try await signIn("hubot", tokens("1", ["id_token": idToken(claims)]))
        #expect(try await client.accounts().map(\.id.homeAccountID) == ["hubot"])
    }

    @Test func `exactly one of request and authority names the account`() async throws {
        let contoso = try Contoso()
        var device = DeviceCodeRequest(scopes: ["User.Read"])
        let unnamed = device
        device.accountID = "octocat"
        let named = device
        var interactive = InteractiveRequest(scopes: ["repo"])
        let anonymous = interactive
        interactive.accountID = "octocat@https://example.net/"
        let foreign = interactive
        interactive.accountID = " "
        let blank = interactive
        let errors = [
            await #expect(throws: AcquisitionError.self) { try await contoso.client.acquireToken(named) { _ in } },
            await #expect(throws: AcquisitionError.self) { try await client.acquireToken(unnamed) { _ in } },
            await #expect(throws: AcquisitionError.self) { try await client.acquireToken(anonymous) },
            await #expect(throws: AcquisitionError.self) { try await client.acquireToken(foreign) },
            await #expect(throws: AcquisitionError.self) { try await client.acquireToken(blank) },
        ]
        #expect(errors.allSatisfy { $0?.code == .requestRejected && $0?.detail?.contains("account") == true })
        #expect(server.posts.isEmpty && contoso.server.posts.isEmpty && browser.opened.isEmpty)
    }

    @Test func `a sign-in of another account does not do for the one that a request names`() async throws {
        let account = try #require(try await signIn("octocat", tokens("1")).account())
        var request = InteractiveRequest(scopes: ["repo"])
        let names = [
            ("octocat", true), ("octocat@https://example.org/", true), ("hubot", false), ("Octocat", false),
        ]
        for (name, isAccepted) in names {
            request.accountID = Account.ID(name)
            let named = try request.namedAccount(at: client.configuration.authority)
            #expect(request.accepts(account, named: named) == isAccepted, "\(name)")
        }
    }

    @Test func `what needs an id token is refused before anything is sent`() async throws {
        var request = InteractiveRequest(scopes: ["repo"])
        request.accountID = Account.ID("octocat")
        request.maximumAge = .seconds(60)
        let tooOld = await #expect(throws: AcquisitionError.self) { try await client.acquireToken(request) }
        let foreign = await #expect(throws: AcquisitionError.self) {
            try await client.acquireToken(MigrationRequest(scopes: ["repo"]), redeeming: "rt-old")
        }
        #expect(tooOld?.code == .requestRejected && foreign?.code == .requestRejected)
        #expect(server.posts.isEmpty && browser.opened.isEmpty)
    }

    @Test func `the scope openid alone stands for none`() async throws {
        server.answer(tokens("1", ["scope": ""]))
        var request = InteractiveRequest(scopes: ["openid"])
        request.accountID = "octocat"
        let result = try await client.acquireToken(request)
        #expect(browser.query["scope"] == nil)
        let account = try #require(try await result.account())
        let again = try await client.acquireTokenSilent(SilentRequest(scopes: ["openid"], account: account))
        #expect(again.source == .cache)
    }

    @Test(arguments: ["HTTPS://example.org/", "https://login.microsoftonline.com/common/v2.0"])
    func `a URL that cannot be the issuer of accounts is refused`(_ url: String) {
        let error = #expect(throws: AcquisitionError.self) {
            try Authority.oauth(url: url, endpoints: Self.endpoints)
        }
        #expect(error?.code == .configurationRejected)
    }

    @Test(arguments: [
        ("http://example.org/", "https://api.example/token"), ("https://example.org/", "http://api.example/token"),
        ("example.org", "https://api.example/token"), ("https://example.org/", ""),
        ("https://example.org/", "https://user@api.example/token"), ("https://example.org/?a", "https://api.example/t"),
    ])
    func `a URL that cannot be used is refused`(_ url: String, _ token: String) {
        let error = #expect(throws: AcquisitionError.self) {
            try Authority.oauth(url: url, endpoints: .init(token: token))
        }
        #expect(error?.code == .configurationRejected)
    }

    @Test func `an endpoint that is not named is not offered`() async throws {
        let endpoints = Authority.Endpoints(token: "https://api.example/t")
        let authority = try Authority.oauth(url: "https://example.org/", endpoints: endpoints)
        var request = DeviceCodeRequest(scopes: ["repo"])
        (request.authority, request.accountID) = (authority, "octocat")
        let asked = request
        let error = await #expect(throws: AcquisitionError.self) {
            try await client.acquireToken(asked) { _ in }
        }
        #expect(error?.code == .grantNotSupported)
    }
}
