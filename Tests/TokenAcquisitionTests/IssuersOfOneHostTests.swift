// SPDX-License-Identifier: Apache-2.0

import Testing
import TokenCaching

@testable import TokenAcquisition

/// Several issuers on one host, which one client is registered with.
@Suite struct IssuersOfOneHostTests {
    static let root = "https://id.example"
    static let issuer = "https://id.example/oauth2/default"

    let server = ScriptedServer()
    let clock = TestClock()
    let cache: TokenCache

    init() throws {
        cache = try TokenCache(
            group: "tests",
            clientID: "client",
            storage: .memory,
            options: TokenCacheOptions(clock: clock.wallClock)
        )
        for issuer in [Self.root, Self.issuer] {
            let members = [
                "issuer": issuer, "token_endpoint": "\(issuer)/token", "revocation_endpoint": "\(issuer)/revoke",
            ]
            server.publish(json(members), at: "\(issuer)/.well-known/openid-configuration")
        }
    }

    private func client() throws -> PublicClient {
        var configuration = ClientConfiguration(
            clientID: "client",
            authority: try .openIDConnect(issuer: Self.issuer)
        )
        configuration.applicationName = "Mail"
        return try PublicClient(
            configuration,
            cache: cache,
            services: Services(transport: server, clock: clock.wallClock)
        )
    }

    /// Keeps the tokens of a sign-in at an issuer.
    private func signIn(at issuer: String) throws -> Account {
        let claims: [String: Any] = [
            "iss": issuer, "aud": "client", "sub": "ada", "iat": clock.now, "exp": clock.now + 3600,
        ]
        let members: [String: Any] = [
            "token_type": "Bearer", "scope": "mail", "expires_in": 3600, "access_token": "at of \(issuer)",
            "refresh_token": "rt of \(issuer)", "id_token": idToken(claims),
        ]
        let authority = try Authority.openIDConnect(issuer: issuer)
        let request = TokenRequest(
            environment: authority.environment,
            tenant: authority.tenant ?? "",
            scopes: ["mail"],
            grant: .interactive
        )
        let saved = try cache.save(TokenResponse(json: Array(json(members).utf8)), for: request)
        return try #require(saved.account)
    }

    private func silent(_ account: Account, at issuer: String) throws -> SilentRequest {
        var request = SilentRequest(scopes: ["mail"], account: account)
        request.authority = try .openIDConnect(issuer: issuer)
        return request
    }

    @Test(arguments: [(issuer, root), (issuer, "https://id.example/oauth2/other")])
    func `no token of one issuer is used for another`(_ own: String, _ other: String) async throws {
        let account = try signIn(at: own)
        let client = try client()
        for seconds: Int64 in [0, 4000] {
            clock.advance(by: seconds)
            let request = try silent(account, at: other)
            let error = await #expect(throws: AcquisitionError.self) { try await client.acquireTokenSilent(request) }
            #expect(error?.code == .interactionRequired)
        }
        #expect(server.posts.isEmpty)
    }

    @Test(arguments: [root, issuer]) func `an issuer's own tokens are found, and renewed there`(
        _ issuer: String
    ) async throws {
        let account = try signIn(at: issuer)
        let client = try client()
        let request = try silent(account, at: issuer)
        #expect(try await client.acquireTokenSilent(request).accessToken.secretString == "at of \(issuer)")
        clock.advance(by: 4000)
        server.answer(json(["token_type": "Bearer", "expires_in": 3600, "access_token": "at-2", "scope": "mail"]))
        #expect(try await client.acquireTokenSilent(request).accessToken.secretString == "at-2")
        #expect(server.posts.map(\.url) == ["\(issuer)/token"])
        #expect(server.posts.first?.form["refresh_token"] == "rt of \(issuer)")
    }

    @Test func `the same subject at two issuers is two accounts, each of which is renewed with its own token`()
        async throws
    {
        let accounts = try [Self.root, Self.issuer].map { try signIn(at: $0) }
        #expect(accounts.map(\.id.text) == ["ada@\(Self.root)", "ada@\(Self.issuer)"])
        let client = try client()
        clock.advance(by: 4000)
        for (account, issuer) in zip(accounts, [Self.root, Self.issuer]) {
            server.answer(json(["token_type": "Bearer", "expires_in": 3600, "access_token": "new", "scope": "mail"]))
            #expect(
                try await client.acquireTokenSilent(silent(account, at: issuer)).accessToken.accountID == account.id
            )
        }
        #expect(server.posts.map { $0.form["refresh_token"] } == ["rt of \(Self.root)", "rt of \(Self.issuer)"])
        try await cache.signOut(accounts[0])
        #expect(try await cache.accounts().map(\.id) == [accounts[1].id])
    }

    @Test func `a refresh token is not sent to an issuer whose URL differs in one byte`() async throws {
        let account = try signIn(at: Self.issuer)
        let other = Self.issuer + "/"
        server.publish(
            json(["issuer": other, "token_endpoint": "\(other)token"]),
            at: "\(other).well-known/openid-configuration"
        )
        clock.advance(by: 4000)
        let request = try silent(account, at: other)
        let error = await #expect(throws: AcquisitionError.self) { try await client().acquireTokenSilent(request) }
        #expect(error?.code == .authorityRejected)
        #expect(server.posts.isEmpty)
    }

    @Test func `a sign-out revokes at the authority that it names`() async throws {
        let account = try signIn(at: Self.root)
        server.answer(status: 200, "")
        var request = SignOutRequest()
        request.revokesTokens = true
        request.authority = try .openIDConnect(issuer: Self.root)
        #expect(try await client().signOut(account, with: request).revocation == .done)
        #expect(server.posts.map(\.url) == ["\(Self.root)/revoke"])
        #expect(server.posts.first?.form["token"] == "rt of \(Self.root)")
    }

    @Test func `no process of the group makes the host of another issuer its own`() async throws {
        let account = try signIn(at: Self.issuer)
        let (host, other) = ("id.example", "evil.example")
        server.publish(
            json(["issuer": "https://\(other)", "token_endpoint": "https://\(other)/token"]),
            at: "https://\(other)/.well-known/openid-configuration"
        )
        let cloud: [String: Any] = ["aliases": [host, other], "preferred_network": other, "preferred_cache": host]
        try await cache.learn(CloudMetadata(discoveryJSON: Array(json(["metadata": [cloud]]).utf8)))
        clock.advance(by: 4000)
        let request = try silent(account, at: "https://\(other)")
        let error = await #expect(throws: AcquisitionError.self) { try await client().acquireTokenSilent(request) }
        #expect(error?.code == .authorityRejected)
        #expect(server.posts.isEmpty)
    }

    @Test func `a server that wants no request for its metadata is left alone until that time is over`() async throws {
        let issuer = "https://id.example/oauth2/busy"
        let account = try signIn(at: issuer)
        let request = try silent(account, at: issuer)
        clock.advance(by: 4000)
        server.answer(status: 429, "", headers: ["Retry-After": "600"])
        for _ in 0..<2 {
            let error = await #expect(throws: AcquisitionError.self) { try await client().acquireTokenSilent(request) }
            #expect(error?.code == .throttled && error?.retryAfter == .seconds(600))
        }
        #expect(server.gets.count == 1)
        clock.advance(by: 601)
        server.publish(
            json(["issuer": issuer, "token_endpoint": "\(issuer)/token"]),
            at: "\(issuer)/.well-known/openid-configuration"
        )
        server.answer(json(["token_type": "Bearer", "expires_in": 3600, "access_token": "at-2", "scope": "mail"]))
        #expect(try await client().acquireTokenSilent(request).accessToken.secretString == "at-2")
    }

    @Test func `requests to other servers than Microsoft's name no application`() async throws {
        let account = try signIn(at: Self.issuer)
        clock.advance(by: 4000)
        server.answer(json(["token_type": "Bearer", "expires_in": 3600, "access_token": "at-2", "scope": "mail"]))
        _ = try await client().acquireTokenSilent(try silent(account, at: Self.issuer))
        #expect(server.posts.first?.headers.keys.sorted() == ["accept", "accept-encoding", "content-type"])
    }

    @Test func `authorities with the same metadata are checked each by its own rules`() async throws {
        let members = ["issuer": Self.root, "token_endpoint": "https://tokens.example/token"]
        server.publish(json(members), at: "\(Self.root)/.well-known/openid-configuration")
        let services = Services(transport: server, clock: clock.wallClock)
        let discovery = Discovery(ClientConfiguration(clientID: "client"), services, cache: nil)
        let naming = try Authority.openIDConnect(issuer: Self.root, endpointHosts: ["tokens.example"])
        _ = try await discovery.finding(for: naming, timeout: .seconds(30))
        let error = await #expect(throws: AcquisitionError.self) {
            try await discovery.finding(for: try .openIDConnect(issuer: Self.root), timeout: .seconds(30))
        }
        #expect(error?.code == .authorityRejected)
    }
}
