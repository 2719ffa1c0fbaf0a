// SPDX-License-Identifier: Apache-2.0

import Testing
import TokenCaching

@testable import TokenAcquisition

/// Tokens of an application itself (RFC 6749, section 4.4).
@Suite struct ApplicationTokenTests {
    let fabrikam: Fabrikam

    init() throws {
        fabrikam = try Fabrikam { $0.credential = .secret { try ClientSecret("s") } }
    }

    private func answer(_ suffix: String, _ changes: [String: any Sendable] = [:]) {
        let members: [String: Any] = ["access_token": "at-\(suffix)", "token_type": "Bearer", "expires_in": 3600]
        fabrikam.server.answer(json(members.merging(changes) { $1 }))
    }

    private func token(
        _ scopes: [String] = ["files"],
        _ change: (inout ApplicationTokenRequest) -> Void = { _ in }
    ) async throws -> AuthenticationResult {
        var request = ApplicationTokenRequest(scopes: scopes)
        change(&request)
        return try await fabrikam.client.acquireApplicationToken(request)
    }

    private func failure(
        _ change: (inout ApplicationTokenRequest) -> Void = { _ in }
    ) async -> AcquisitionError? {
        await #expect(throws: AcquisitionError.self) { try await token(change) }
    }

    private func token(_ change: (inout ApplicationTokenRequest) -> Void) async throws -> AuthenticationResult {
        try await token(["files"], change)
    }

    @Test func `a token is requested with the client's credentials, and kept`() async throws {
        answer("1")
        let first = try await token(["files", "mail"])
        #expect(try first.accessToken.secretString == "at-1" && first.source == .renewal)
        #expect(try await first.account() == nil && first.correlationID != nil)
        let post = try #require(fabrikam.server.posts.first)
        #expect(post.form == ["client_id": "client", "grant_type": "client_credentials", "scope": "files mail"])
        #expect(post.headers["authorization"]?.hasPrefix("Basic ") == true)
        let second = try await token(["mail"])
        #expect(try second.accessToken.secretString == "at-1" && second.source == .cache)
        #expect(fabrikam.server.posts.count == 1)
    }

    @Test func `each of one host's issuers has tokens of its own, without a path or with one that hardly differs`()
        async throws
    {
        let host = "https://tenant.fabrikam.example"
        let issuers = [host, "\(host)/", "\(host)/a", "\(host)/a/", "\(host)/A"]
        for source in [AuthenticationResult.Source.renewal, .cache] {
            for issuer in issuers {
                let members = ["issuer": issuer, "token_endpoint": "\(host)/token"]
                let authority = try Authority.openIDConnect(issuer: issuer)
                fabrikam.server.publish(json(members), at: authority.metadataURL)
                var configuration = ClientConfiguration(clientID: "client", authority: authority)
                configuration.credential = .secret { try ClientSecret("s") }
                let client = try PublicClient(configuration, cache: fabrikam.cache, services: fabrikam.client.services)
                if source == .renewal { answer(issuer) }
                let result = try await client.acquireApplicationToken(ApplicationTokenRequest(scopes: ["files"]))
                #expect(try result.accessToken.secretString == "at-" + issuer && result.source == source)
            }
        }
        #expect(fabrikam.server.posts.allSatisfy { $0.form["issuer"] == nil })
    }

    @Test func `a parameter named issuer isolates like any other`() async throws {
        let authority = try Authority.openIDConnect(issuer: "\(Fabrikam.issuer)/A")
        let fabrikam = try Fabrikam { configuration in
            configuration.authority = authority
            configuration.credential = .secret { try ClientSecret("s") }
        }
        fabrikam.server.publish(
            json(["issuer": "\(Fabrikam.issuer)/A", "token_endpoint": "\(Fabrikam.issuer)/token"]),
            at: "\(Fabrikam.issuer)/A/.well-known/openid-configuration"
        )
        for issuer in [nil, "x", "\(Fabrikam.issuer)/A"] {
            let members: [String: Any] = [
                "access_token": "at-\(issuer ?? "")", "token_type": "Bearer", "expires_in": 3600,
            ]
            fabrikam.server.answer(json(members))
            var request = ApplicationTokenRequest(scopes: ["files"])
            request.isolatedParameters = issuer.map { ["issuer": $0] } ?? [:]
            let result = try await fabrikam.client.acquireApplicationToken(request)
            #expect(try result.accessToken.secretString == "at-\(issuer ?? "")" && result.source == .renewal)
        }
    }

    @Test(arguments: ["access_denied", "expired_token"])
    func `no error says that a user declined`(_ refusal: String) async {
        fabrikam.server.answer(status: 403, json(["error": refusal]))
        let error = await failure()
        #expect(error?.code == .serverRefused && error?.errorResponse?.error == refusal)
    }

    @Test func `a token that expires is replaced, and one that is forced too`() async throws {
        answer("1")
        _ = try await token()
        fabrikam.clock.advance(by: 3000)
        answer("2")
        #expect(try await token { $0.forceRefresh = true }.accessToken.secretString == "at-2")
        fabrikam.clock.advance(by: 3400)
        answer("3")
        #expect(try await token().accessToken.secretString == "at-3")
    }

    @Test func `a token that the server wants renewed is, and is returned if that fails`() async throws {
        answer("1", ["refresh_in": 1800])
        for _ in 0..<2 { #expect(try await token().accessToken.secretString == "at-1") }
        #expect(fabrikam.server.posts.count == 1)
        fabrikam.clock.advance(by: 1801)
        fabrikam.server.answer(status: 503, "")
        let kept = try await token()
        #expect(try kept.accessToken.secretString == "at-1" && kept.source == .cache)
        #expect(fabrikam.server.posts.count == 2)
        // The server is left alone for a while.
        fabrikam.clock.advance(by: 600)
        answer("2")
        #expect(try await token().accessToken.secretString == "at-2")
    }

    @Test func `a token within the client's margin before its expiry is replaced`() async throws {
        let fabrikam = try Fabrikam {
            $0.credential = .secret { try ClientSecret("s") }
            $0.expirationMargin = .seconds(1200)
        }
        func token() async throws -> String {
            let request = ApplicationTokenRequest(scopes: ["files"])
            return try await fabrikam.client.acquireApplicationToken(request).accessToken.secretString
        }
        let members: [String: any Sendable] = ["token_type": "Bearer", "expires_in": 3600]
        fabrikam.server.answer(json(members.merging(["access_token": "at-1"]) { $1 }))
        #expect(try await token() == "at-1")
        fabrikam.clock.advance(by: 2300)
        #expect(try await token() == "at-1")
        fabrikam.clock.advance(by: 200)
        fabrikam.server.answer(json(members.merging(["access_token": "at-2"]) { $1 }))
        #expect(try await token() == "at-2")
    }

    @Test func `a refusal is remembered for two minutes, and no user is asked to sign in`() async throws {
        fabrikam.server.answer(status: 401, json(["error": "invalid_client"]))
        let error = await failure()
        #expect(error?.code == .serverRefused && error?.errorResponse?.error == "invalid_client")
        #expect(await failure()?.errorResponse?.error == "invalid_client")
        #expect(fabrikam.server.posts.count == 1)
        answer("1")
        #expect(try await token { $0.forceRefresh = true }.source == .renewal)

        fabrikam.clock.advance(by: 4000)
        fabrikam.server.answer(status: 400, json(["error": "invalid_grant"]))
        #expect(await failure()?.code == .serverRefused)
        fabrikam.server.answer(status: 400, json(["error": "unauthorized_client"]))
        #expect(await failure { $0.forceRefresh = true }?.code == .grantNotSupported)
        fabrikam.clock.advance(by: 121)
        answer("2")
        #expect(try await token().source == .renewal)
    }

    @Test func `a server that asks for time gets it, from its metadata on`() async throws {
        fabrikam.server.answer(status: 429, "", headers: ["Retry-After": "60"])
        #expect(await failure()?.code == .throttled)
        #expect(await failure()?.code == .throttled)
        #expect(fabrikam.server.posts.count == 1)
    }

    @Test func `a response that is none is not kept`() async throws {
        for body in [
            "{}", "[]", #"{"access_token":"a\nb","token_type":"Bearer"}"#, #"{"error":"x","access_token":"a"}"#,
        ] {
            fabrikam.server.answer(body)
            #expect(await failure()?.code == .responseRejected, "\(body)")
        }
        answer("1", ["token_type": "DPoP"])
        #expect(await failure()?.code == .responseRejected)
        fabrikam.server.answer(status: 302, "", headers: ["Location": "https://elsewhere.example/token"])
        #expect(await failure()?.code == .responseRejected)
    }

    @Test func `what is beside the access token is no account and no sign-in`() async throws {
        let tokens = fabrikam.tokens("1", ["scope": "files"])
        fabrikam.server.answer(tokens)
        #expect(try await token().accessToken.accountID == nil)
        #expect(try await fabrikam.cache.accounts().isEmpty)
        #expect(try await token().source == .cache)
    }

    @Test func `less than was requested is told, and remembered`() async throws {
        answer("1", ["scope": "files"])
        let error = await #expect(throws: AcquisitionError.self) { try await token(["files", "mail"]) }
        #expect(error?.code == .scopesDeclined && error?.declinedScopes == ["mail"])
        #expect(try error?.result?.accessToken.secretString == "at-1")
        #expect(
            await #expect(throws: AcquisitionError.self) { try await token(["files", "mail"]) }?.code == .scopesDeclined
        )
        #expect(fabrikam.server.posts.count == 1)
    }

    @Test func `requests that cannot succeed send nothing`() async throws {
        #expect(await #expect(throws: AcquisitionError.self) { try await token([]) }?.code == .requestRejected)
        #expect(await failure { $0.authority = .common }?.code == .requestRejected)
        let publicClient = try Fabrikam().client
        let error = await #expect(throws: AcquisitionError.self) {
            try await publicClient.acquireApplicationToken(ApplicationTokenRequest(scopes: ["files"]))
        }
        #expect(error?.code == .configurationRejected)
        #expect(fabrikam.server.posts.isEmpty)
    }

    @Test func `many callers make one request, each with the result`() async throws {
        fabrikam.server.answer { _ throws(TransportError) in
            for _ in 0..<50 { await Task.yield() }
            let body = json(["access_token": "at-1", "token_type": "Bearer", "expires_in": 3600])
            return TransportResponse(
                status: 200,
                headers: [.init("Content-Type", "application/json")],
                body: Array(body.utf8)
            )
        }
        let secrets = try await withThrowingTaskGroup { group in
            for _ in 0..<50 { group.addTask { try await self.token().accessToken.secretString } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(secrets == ["at-1"] && fabrikam.server.posts.count == 1)
    }

    @Test func `Microsoft's servers are not asked for a user`() async throws {
        let contoso = try Contoso { configuration in
            configuration.credential = .secret { try ClientSecret("s") }
            configuration.authority = (try? .entra(tenant: Contoso.tenant)) ?? .common
        }
        contoso.server.answer(json(["access_token": "at-1", "token_type": "Bearer", "expires_in": 3600]))
        let scope = "https://graph.microsoft.com/.default"
        let request = ApplicationTokenRequest(scopes: [scope])
        #expect(try await contoso.client.acquireApplicationToken(request).source == .renewal)
        #expect(contoso.server.posts.first?.form["client_info"] == nil)
        #expect(contoso.server.posts.first?.form["scope"] == scope)
        #expect(try await contoso.client.acquireApplicationToken(request).source == .cache)
    }

    @Test func `another tenant of the cloud gets the secret, and another cloud does not`() async throws {
        let contoso = try Contoso { $0.credential = .secret { try ClientSecret("s") } }
        contoso.server.answer(json(["access_token": "at-1", "token_type": "Bearer", "expires_in": 3600]))
        var request = ApplicationTokenRequest(scopes: ["https://graph.microsoft.com/.default"])
        request.authority = try .entra(tenant: Contoso.tenant)
        #expect(try await contoso.client.acquireApplicationToken(request).source == .renewal)
        let host = "https://login.microsoftonline.us/\(Contoso.tenant)"
        let members = ["issuer": "\(host)/v2.0", "token_endpoint": "\(host)/oauth2/v2.0/token"]
        contoso.server.publish(json(members), at: "\(host)/v2.0/.well-known/openid-configuration")
        request.authority = try Authority(host)
        let error = await #expect(throws: AcquisitionError.self) {
            try await contoso.client.acquireApplicationToken(request)
        }
        #expect(error?.code == .configurationRejected && contoso.server.posts.count == 1)
    }
}
