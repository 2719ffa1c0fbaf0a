// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing
import TokenCaching

@testable import TokenAcquisition

@Suite struct SilentTests {
    let contoso: Contoso
    let account: Account

    init() throws {
        contoso = try Contoso()
        account = try contoso.signIn()
    }

    @Test func `a valid token comes from the cache, without a request`() async throws {
        let request = SilentRequest(scopes: ["user.read"], account: account)
        for _ in 0..<2 {
            let result = try await contoso.client.acquireTokenSilent(request)
            #expect(result.source == .cache)
            #expect(try result.accessToken.secretString == "at-1")
            #expect(try result.authorizationHeader == "Bearer at-1")
            #expect(result.correlationID == nil)
            #expect(try await result.account()?.id == account.id)
            #expect(try await result.tenantProfile()?.username == "ada@contoso.example")
            #expect(try await result.idToken()?.claims?.name == "Ada Lovelace")
            let header = try result.withAuthorizationHeader { bytes in
                (0..<bytes.byteCount).map { unsafe bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
            }
            #expect(String(decoding: header, as: UTF8.self) == "Bearer at-1")
        }
        #expect(contoso.server.posts.isEmpty && contoso.server.gets.isEmpty)
    }

    @Test func `a kept request follows the settings and the cache of the client that uses it`() async throws {
        let other = try Contoso()
        _ = try other.signIn("2")
        var configuration = contoso.client.configuration
        configuration.expirationMargin = .seconds(1_500)
        let careful = try PublicClient(configuration, cache: contoso.cache, services: contoso.client.services)
        contoso.clock.advance(by: 2_400)
        let request = SilentRequest(scopes: ["user.read"], account: account)
        contoso.server.answer(contoso.tokens("3"))
        let expected = [(contoso.client, "at-1"), (other.client, "at-2"), (careful, "at-3"), (contoso.client, "at-3")]
        for (client, token) in expected {
            let result = try await client.acquireTokenSilent(request)
            #expect(try result.accessToken.secretString == token)
            #expect(result.context.cache === client.cache)
        }
    }

    @Test func `a request that was changed after its use, or whose copy was, asks for what it says`() async throws {
        var request = SilentRequest(scopes: ["user.read"], account: account)
        let client = contoso.client
        _ = try await client.acquireTokenSilent(request)
        var copy = request
        copy.scopes = ["other.scope"]
        contoso.server.answer(contoso.tokens("2", ["scope": "other.scope"]))
        #expect(try await client.acquireTokenSilent(copy).accessToken.secretString == "at-2")
        #expect(try await client.acquireTokenSilent(request).accessToken.secretString == "at-1")
        request.forceRefresh = true
        contoso.server.answer(contoso.tokens("3"))
        #expect(try await client.acquireTokenSilent(request).accessToken.secretString == "at-3")
        request.scopes = []
        let unnamed = request
        let error = await #expect(throws: AcquisitionError.self) { try await client.acquireTokenSilent(unnamed) }
        #expect(error?.code == .requestRejected)
    }

    @Test func `a kept request asks for the key that its scheme has now`() async throws {
        final class Rotating: AuthenticationScheme {
            let key = Mutex("k1")
            var tokenType: String { "pop" }
            var keyID: String { key.withLock { $0 } }
            var tokenRequestParameters: [String: String] { ["req_cnf": keyID] }
            func authorizationHeader(accessToken: String, for request: ResourceRequest) async throws -> String { "PoP" }
        }
        let scheme = Rotating()
        var request = SilentRequest(scopes: ["user.read"], account: account)
        request.authenticationScheme = scheme
        for key in ["k1", "k2"] {
            scheme.key.withLock { $0 = key }
            contoso.server.answer(contoso.tokens(key, ["token_type": "pop"]))
            for _ in 0..<2 {
                let token = try await contoso.client.acquireTokenSilent(request).accessToken
                #expect(try token.secretString == "at-\(key)" && token.keyID == key)
            }
        }
        #expect(contoso.server.posts.map { $0.form["req_cnf"] } == ["k1", "k2"])
    }

    @Test func `an expired token is renewed at the account's home tenant`() async throws {
        contoso.clock.advance(by: 4000)
        contoso.server.answer(contoso.tokens("2"))
        let id = CorrelationID()
        let result = try await contoso.silent(account) { $0.correlationID = id }
        #expect(result.source == .renewal)
        #expect(result.correlationID == id)
        #expect(try result.accessToken.secretString == "at-2")
        let post = try #require(contoso.server.posts.first)
        #expect(post.url == "\(Contoso.host)/\(Contoso.tenant)/oauth2/v2.0/token")
        #expect(
            post.form == [
                "client_id": Contoso.clientID, "grant_type": "refresh_token", "refresh_token": "rt-1",
                "scope": "User.Read openid profile offline_access", "client_info": "1",
            ]
        )
        #expect(post.headers["client-request-id"] == id.description)
        #expect(post.headers["x-anchormailbox"] == "Oid:\(Contoso.objectID)@\(Contoso.tenant)")
        #expect(post.headers["x-client-sku"] == "swift-token-cache")
        #expect(post.headers["x-client-ver"] == TokenCache.packageVersion)
        #expect(post.headers["content-type"] == "application/x-www-form-urlencoded")
        #expect(contoso.server.gets.count == 1)
        // Half a minute for each, which the end of the client waits for at most.
        #expect((contoso.server.posts + contoso.server.gets).allSatisfy { $0.timeout <= .seconds(30) })
        // The new refresh token is the one that is redeemed next, and the metadata is kept.
        contoso.clock.advance(by: 4000)
        contoso.server.answer(contoso.tokens("3"))
        #expect(try await contoso.silent(account).accessToken.secretString == "at-3")
        #expect(contoso.server.posts.last?.form["refresh_token"] == "rt-2")
        #expect(contoso.server.gets.count == 1)
    }

    @Test func `metadata is requested again after a day, and once by callers at the same time`() async throws {
        contoso.clock.advance(by: 4000)
        let discovery = contoso.client.discovery
        let authority = try Authority.entra(tenant: Contoso.tenant)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask { _ = try await discovery.finding(for: authority, timeout: .seconds(30)) }
            }
            try await group.waitForAll()
        }
        #expect(contoso.server.gets.count == 1)
        contoso.clock.advance(by: 24 * 3600 - 1)
        _ = try await discovery.finding(for: authority, timeout: .seconds(30))
        #expect(contoso.server.gets.count == 1)
        contoso.clock.advance(by: 2)
        _ = try await discovery.finding(for: authority, timeout: .seconds(30))
        #expect(contoso.server.gets.count == 2)
    }

    @Test func `claims and capabilities are sent together, and pass the cache`() async throws {
        let contoso = try Contoso { $0.clientCapabilities = ["cp1"] }
        let account = try contoso.signIn()
        #expect(try await contoso.silent(account).source == .cache)
        contoso.server.answer(contoso.tokens("2"))
        let challenge =
            #"Bearer error="insufficient_claims", claims="{\"access_token\":{\"nbf\":{\"essential\":true}}}""#
        let claims = try #require(try ClaimsRequest(wwwAuthenticate: challenge))
        #expect(try await contoso.silent(account) { $0.claims = claims }.accessToken.secretString == "at-2")
        #expect(
            contoso.server.posts.first?.form["claims"]
                == #"{"access_token":{"nbf":{"essential":true},"xms_cc":{"values":["cp1"]}}}"#
        )
    }

    @Test func `extra parameters replace none of the protocol's`() async throws {
        let contoso = try Contoso { $0.extraParameters = ["client_id": "evil", "b": "1", "scope": "x"] }
        let account = try contoso.signIn()
        contoso.server.answer(contoso.tokens("2"))
        _ = try await contoso.silent(account) {
            $0.forceRefresh = true
            $0.extraParameters = ["refresh_token": "x", "b": "2 &=%é"]
        }
        let form = try #require(contoso.server.posts.first?.form)
        #expect(form["client_id"] == Contoso.clientID && form["refresh_token"] == "rt-1")
        #expect(form["b"] == "2 &=%é")
        #expect(form["scope"]?.hasPrefix("User.Read") == true)
    }

    @Test func `twenty callers at the same time redeem the refresh token once`() async throws {
        contoso.clock.advance(by: 4000)
        contoso.server.answer(contoso.tokens("2"))
        let (contoso, account) = (contoso, account)
        let secrets = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 { group.addTask { try await contoso.silent(account).accessToken.secretString } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(secrets == ["at-2"])
        #expect(contoso.server.posts.count == 1)
    }

    @Test func `after a wipe the user has to sign in`() async throws {
        try await contoso.cache.wipe(account)
        let error = await contoso.failure(account)
        #expect(error?.code == .interactionRequired)
        #expect(error?.reason == .signedOut)
        #expect(contoso.server.posts.isEmpty)
    }

    @Test func `declined scopes are told, with the token for the others`() async throws {
        contoso.server.answer(contoso.tokens("2", ["scope": "User.Read"]))
        let error = await contoso.failure(account, scopes: ["User.Read", "Mail.Read"])
        #expect(error?.code == .scopesDeclined)
        #expect(error?.declinedScopes.map { $0.lowercased() } == ["mail.read"])
        #expect(error?.grantedScopes == ["User.Read"])
        #expect(try error?.result?.accessToken.secretString == "at-2")
    }

    @Test func `a refresh token is not sent to another cloud`() async throws {
        contoso.clock.advance(by: 4000)
        let error = await contoso.failure(account) {
            $0.authority = try? .entra(tenant: "common", cloud: .usGovernment)
        }
        #expect(error?.code == .interactionRequired)
        #expect(contoso.server.posts.isEmpty)
    }

    @Test func `who waits for another renewal learns that when the time is over`() async throws {
        contoso.clock.advance(by: 4000)
        let (started, gate) = (Gate(), Gate())
        let query = try PreparedSilentRequest(
            SilentRequest(scopes: ["User.Read"], account: account),
            of: contoso.client
        ).query
        let cache = contoso.cache
        let renewal = Task {
            try await cache.renew(query) { _ in
                started.open()
                await gate.wait()
                return .unavailable
            }
        }
        await started.wait()
        #expect(await contoso.failure(account) { $0.timeout = .seconds(2) }?.code == .renewalBusy)
        #expect(contoso.server.posts.isEmpty)
        gate.open()
        _ = await renewal.result
    }

    @Test func `the current account of a client that is signed in to several is told apart from a failure`()
        async throws
    {
        #expect(try await contoso.client.currentAccount().current?.id == account.id)
        let info = base64URL(json(["uid": "someone-else", "utid": Contoso.tenant]))
        try contoso.signIn("2", ["client_info": info])
        let client = contoso.client
        let error = await #expect(throws: AcquisitionError.self) { try await client.currentAccount() }
        #expect(error?.code == .severalAccounts)
    }

    @Test func `Microsoft's servers learn the application's name, and no line break of it`() async throws {
        let contoso = try Contoso {
            $0.applicationName = "Mail\r\nX-Evil: 1"
            $0.applicationVersion = "2.1"
        }
        let account = try contoso.signIn()
        contoso.server.answer(contoso.tokens("2"))
        _ = try await contoso.silent(account) { $0.forceRefresh = true }
        let headers = try #require(contoso.server.posts.first?.headers)
        #expect(headers["x-app-name"] == "MailX-Evil: 1" && headers["x-app-ver"] == "2.1")
        #expect(headers["return-client-request-id"] == "true" && headers["x-client-os"] == "Linux")
        #expect(headers["x-evil"] == nil)
    }

    @Test func `a request without scopes is refused`() async throws {
        #expect(await contoso.failure(account, scopes: [])?.code == .requestRejected)
        #expect(await contoso.failure(account, scopes: [""])?.code == .requestRejected)
    }

    @Test func `a cache of another client is refused`() throws {
        let error = #expect(throws: AcquisitionError.self) {
            try PublicClient(
                ClientConfiguration(clientID: "another"),
                cache: contoso.cache,
                services: Services(transport: contoso.server)
            )
        }
        #expect(error?.code == .configurationRejected)
    }

    @Test func `nothing that can be printed shows a token, a name or a parameter`() async throws {
        contoso.clock.advance(by: 4000)
        contoso.server.answer(
            status: 400,
            json([
                "error": "invalid_grant", "error_description": "ada@contoso.example at-1 rt-1", "claims": "{\"x\":1}",
            ])
        )
        let error = try #require(await contoso.failure(account))
        var configuration = ClientConfiguration(clientID: "x")
        configuration.extraParameters = ["a": "rt-1"]
        let request = SilentRequest(scopes: ["User.Read"], account: account)
        let shown: [Any] = [
            error, configuration, request, contoso.client,
            try ClaimsRequest(json: #"{"id_token":{"login":"ada@contoso.example"}}"#),
        ]
        for value in shown {
            var text = "\(value) \(String(reflecting: value))"
            dump(value, to: &text)
            for secret in ["ada@", "at-1", "rt-1"] { #expect(!text.contains(secret)) }
        }
        #expect(error.claimsToRequest?.json == #"{"x":1}"#)
    }
}
