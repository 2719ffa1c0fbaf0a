// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TokenCaching
import UnifiedSchema

@testable import TokenAcquisition

enum NSNullMember {
    /// A JSON null.
    static var value: Any { NSNull() }
}

@Suite struct DiscoveryTests {
    let server = ScriptedServer()
    let clock = TestClock()
    let issuer = "https://idp.example/s/1"

    private func discovery(_ change: (inout ClientConfiguration) -> Void = { _ in }) -> Discovery {
        var configuration = ClientConfiguration(clientID: "client")
        change(&configuration)
        return Discovery(configuration, Services(transport: server, clock: clock.wallClock), cache: nil)
    }

    private func publish(_ changes: [String: Any] = [:]) {
        let members: [String: Any] = ["issuer": issuer, "token_endpoint": "\(issuer)/token"]
        server.publish(json(members.merging(changes) { $1 }), at: "\(issuer)/.well-known/openid-configuration")
    }

    private func code(_ authority: Authority? = nil) async throws -> AcquisitionError.Code? {
        let authority = try authority ?? .openIDConnect(issuer: issuer)
        do throws(AcquisitionError) {
            _ = try await discovery().finding(for: authority, timeout: .seconds(30))
            return nil
        } catch {
            return error.code
        }
    }

    @Test(
        arguments: [
            ("issuer", "https://idp.example/s/2", AcquisitionError.Code.issuerRejected),
            ("issuer", "https://idp.example/s/1/", .issuerRejected),
            ("token_endpoint", "https://evil.example/token", .authorityRejected),
            ("token_endpoint", "http://idp.example/token", .authorityRejected),
            ("token_endpoint", "https://idp.example:8443/token", .authorityRejected),
            ("token_endpoint", "https://x@idp.example/token", .authorityRejected),
            ("revocation_endpoint", "revoke", nil), ("end_session_endpoint", "", nil),
            ("jwks_uri", "https://evil.example/keys", nil),
        ] as [(String, String, AcquisitionError.Code?)]
    )
    func `metadata that leaves the authority is refused`(
        _ name: String,
        _ value: String,
        _ expected: AcquisitionError.Code?
    ) async throws {
        publish([name: value])
        #expect(try await code() == expected)
    }

    @Test(arguments: [
        (200, "<html>", "text/html", AcquisitionError.Code.responseRejected),
        (
            200, #"{"issuer":"https://idp.example/s/1","token_endpoint":"https://idp.example/s/1/token"}"#, "text/html",
            .responseRejected
        ),
        (200, "[]", "application/json", .responseRejected),
        (200, "{\"issuer\":", "application/json", .responseRejected),
        (200, "{}", "application/json", .responseRejected),
        (200, #"{"issuer":"https://idp.example/s/1"}"#, "application/json", .responseRejected),
        (301, "", "text/plain", .responseRejected),
        (404, "", "text/plain", .responseRejected),
        (500, "", "text/plain", .serverUnavailable),
        (429, "", "text/plain", .throttled),
    ])
    func `what is no metadata is refused, and asked for again`(
        _ status: Int,
        _ body: String,
        _ type: String,
        _ expected: AcquisitionError.Code
    ) async throws {
        let discovery = discovery()
        for _ in 0..<2 {
            server.answer(status: status, body, headers: ["Content-Type": type])
            let error = await #expect(throws: AcquisitionError.self) {
                try await discovery.finding(for: .openIDConnect(issuer: issuer), timeout: .seconds(30))
            }
            #expect(error?.code == expected)
            if status != 200 { #expect(error?.errorResponse?.status == status) }
        }
        // Unless it is too busy, the server is asked for its OAuth metadata too.
        #expect(server.gets.count == (status == 429 ? 2 : 4))
    }

    private func finding(
        _ authority: Authority? = nil,
        naming endpoint: OptionalEndpoint? = nil
    ) async throws -> Discovery.Finding {
        let authority = try authority ?? .openIDConnect(issuer: issuer)
        return try await discovery().finding(for: authority, naming: endpoint, timeout: .seconds(30))
    }

    @Test(arguments: OptionalEndpoint.allCases)
    func `an endpoint on another host is refused where it is needed, and nowhere else`(
        _ endpoint: OptionalEndpoint
    ) async throws {
        publish([endpoint.rawValue: "https://evil.example/x"])
        let metadata = try await finding(naming: endpoint).metadata
        let errors = [
            #expect(throws: AcquisitionError.self) { try metadata.url(of: endpoint) },
            #expect(throws: AcquisitionError.self) { try metadata.requiredURL(of: endpoint) },
        ]
        for error in errors {
            #expect(error?.code == .authorityRejected && error?.detail?.contains("evil.example") == true)
        }
        #expect(errors[0]?.advice.contains("name evil.example as a host of its endpoints") == true)
        for other in OptionalEndpoint.allCases where other != endpoint { #expect(try metadata.url(of: other) == nil) }
        #expect(server.gets.count == 1)
    }

    @Test(arguments: ["", " ", nil] as [String?])
    func `an endpoint that is null or blank is none`(_ value: String?) async throws {
        publish(["end_session_endpoint": value ?? NSNullMember.value])
        let metadata = try await finding().metadata
        #expect(try metadata.lacks(.endSession) && metadata.url(of: .endSession) == nil)
    }

    private static let oauthURL = "https://idp.example/.well-known/oauth-authorization-server/s/1"

    private func publishOAuth(_ changes: [String: Any] = [:]) {
        let members: [String: Any] = [
            "issuer": issuer, "token_endpoint": "\(issuer)/token",
            "device_authorization_endpoint": "\(issuer)/device", "revocation_endpoint": "\(issuer)/revoke",
        ]
        server.publish(json(members.merging(changes) { $1 }), at: Self.oauthURL)
    }

    @Test func `an endpoint that only the OAuth metadata names is found there, with one request`() async throws {
        publish(["revocation_endpoint": "\(issuer)/own"])
        publishOAuth()
        let discovery = discovery()
        let authority = try Authority.openIDConnect(issuer: issuer)
        for endpoint in [OptionalEndpoint?.none, .revocation] {
            _ = try await discovery.finding(for: authority, naming: endpoint, timeout: .seconds(30))
        }
        #expect(server.gets.map(\.url) == [authority.metadataURL])
        for endpoint in [OptionalEndpoint.deviceAuthorization, .endSession, .deviceAuthorization] {
            let metadata = try await discovery.finding(for: authority, naming: endpoint, timeout: .seconds(30)).metadata
            #expect(try metadata.url(of: .deviceAuthorization) == "\(issuer)/device")
            #expect(try metadata.url(of: .revocation) == "\(issuer)/own")
        }
        #expect(server.gets.map(\.url) == [authority.metadataURL, Self.oauthURL])
    }

    @Test(arguments: [
        ("issuer", "https://idp.example/s/2", AcquisitionError.Code.issuerRejected),
        ("token_endpoint", "https://idp.example/other/token", .responseRejected),
        ("token_endpoint", "https://evil.example/token", .authorityRejected),
    ])
    func `OAuth metadata that disagrees is refused`(
        _ name: String,
        _ value: String,
        _ expected: AcquisitionError.Code
    ) async throws {
        publish()
        publishOAuth([name: value])
        for endpoint in OptionalEndpoint.allCases {
            let error = await #expect(throws: AcquisitionError.self) { try await finding(naming: endpoint) }
            #expect(error?.code == expected)
        }
        // It is not needed for anything else.
        #expect(try await finding().metadata.tokenEndpoint == "\(issuer)/token")
    }

    @Test(arguments: [
        (200, "text/html"), (301, "text/plain"), (401, "text/plain"), (404, "text/plain"), (500, "text/plain"),
    ])
    func `a server without OAuth metadata, whatever it answers, has no further endpoints`(
        _ status: Int,
        _ type: String
    ) async throws {
        publish()
        let discovery = discovery()
        server.answer(status: status, "<html>", headers: ["Content-Type": type])
        for endpoint in [OptionalEndpoint.deviceAuthorization, .revocation] {
            let found = try await discovery.finding(
                for: .openIDConnect(issuer: issuer),
                naming: endpoint,
                timeout: .seconds(30)
            )
            #expect(found.metadata.lacks(endpoint))
        }
        #expect(server.gets.count == 2)
    }

    @Test(arguments: [
        ("https://h.example", ""), ("https://h.example/", ""), ("https://h.example:8443/a", "/a"),
        ("https://h.example/a/b/", "/a/b"), ("https://h.example/a//b", "/a//b"),
    ])
    func `the URL of OAuth metadata is that of RFC 8414`(_ issuer: String, _ path: String) throws {
        let origin = issuer.contains(":8443") ? "https://h.example:8443" : "https://h.example"
        let url = try Authority.openIDConnect(issuer: issuer).oauthMetadataURL
        #expect(url == "\(origin)/.well-known/oauth-authorization-server\(path)")
    }

    @Test(arguments: [200, 301, 400, 401, 403, 404, 405, 410, 500, 501])
    func `a server with OAuth metadata only is found by that`(_ status: Int) async throws {
        publishOAuth()
        for _ in 0..<2 { server.answer(status: status, "<html>", headers: ["Content-Type": "text/html"]) }
        #expect(try await finding().metadata.tokenEndpoint == "\(issuer)/token")
        publishOAuth(["issuer": "https://idp.example/s/2"])
        #expect(try await code() == .issuerRejected)
    }

    @Test(arguments: [["token_endpoint"], ["authorization_endpoint"], ["token_endpoint", "authorization_endpoint"]])
    func `an endpoint that OpenID Connect's metadata lack is that of OAuth's, and both hold together`(
        _ missing: [String]
    ) async throws {
        let own = ["token_endpoint": "\(issuer)/token", "authorization_endpoint": "\(issuer)/authorize"]
        var members: [String: Any] = own.filter { !missing.contains($0.key) }
        // A blank one is none, too.
        if missing.count == 2 { members.merge(missing.map { ($0, "") }) { $1 } }
        members["issuer"] = issuer
        members["end_session_endpoint"] = "\(issuer)/end"
        server.publish(json(members), at: "\(issuer)/.well-known/openid-configuration")
        publishOAuth(["authorization_endpoint": "\(issuer)/authorize", "code_challenge_methods_supported": ["S256"]])
        let metadata = try await finding(naming: .authorization).metadata
        #expect(metadata.tokenEndpoint == own["token_endpoint"] && metadata.codeChallengeMethods == ["S256"])
        #expect(try metadata.url(of: .authorization) == own["authorization_endpoint"])
        #expect(try metadata.url(of: .endSession) == "\(issuer)/end")
        publishOAuth(["issuer": "https://idp.example/s/2"])
        let error = await #expect(throws: AcquisitionError.self) { try await finding(naming: .authorization) }
        #expect(error?.code == .issuerRejected)
    }

    @Test func `an authority without id tokens is found by its metadata`() async throws {
        publishOAuth()
        let authority = try Authority.oauth(issuer: issuer)
        let found = try await discovery().finding(for: authority, timeout: .seconds(30))
        #expect(found.metadata.tokenEndpoint == "\(issuer)/token" && !found.metadata.hasIDTokens)
        for members in [["id_token_signing_alg_values_supported": ["RS256"]], ["scopes_supported": ["openid"]]] {
            publishOAuth(members)
            // What signed in before goes on.
            #expect(try await discovery().finding(for: authority, timeout: .seconds(30)).metadata.hasIDTokens)
        }
    }

    @Test func `an endpoint of OAuth metadata without a token endpoint is found too`() async throws {
        publish()
        server.publish(
            json(["issuer": issuer, "device_authorization_endpoint": "\(issuer)/device"]),
            at: Self.oauthURL
        )
        let found = try await finding(naming: .deviceAuthorization)
        #expect(try found.metadata.url(of: .deviceAuthorization) == "\(issuer)/device")
    }

    @Test func `a server that is too busy for its OAuth metadata is not one without metadata`() async throws {
        for status in [404, 503] { server.answer(status: status, "") }
        #expect(try await code() == .serverUnavailable)
    }

    @Test func `Microsoft's servers are not asked for OAuth metadata`() async throws {
        let host = "https://login.microsoftonline.com/\(Contoso.tenant)"
        let document = json(["issuer": "\(host)/v2.0", "token_endpoint": "\(host)/oauth2/v2.0/token"])
        server.publish(document, at: "\(host)/v2.0/.well-known/openid-configuration")
        let authority = try Authority.entra(tenant: Contoso.tenant)
        #expect(try await finding(authority, naming: .deviceAuthorization).metadata.lacks(.deviceAuthorization))
        #expect(server.gets.count == 1)
    }

    @Test(arguments: [
        ("https://accounts.google.com", "oauth2.googleapis.com", true),
        ("https://accounts.google.com", "www.googleapis.com", false),
        ("https://accounts.google.com.evil.example", "oauth2.googleapis.com", false),
        ("https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_a", "app.auth.eu-west-1.amazoncognito.com", true),
        ("https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_a", "app.auth.us-east-1.amazoncognito.com", false),
        ("https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_a", "a.b.auth.eu-west-1.amazoncognito.com", false),
        ("https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_a", ".auth.eu-west-1.amazoncognito.com", false),
        ("https://cognito-idp.eu-west-1.evil.example/x", "app.auth.eu-west-1.amazoncognito.com", false),
    ])
    func `hosts that an issuer is known to use need not be named`(
        _ issuer: String,
        _ host: String,
        _ isAccepted: Bool
    ) async throws {
        let document = json(["issuer": issuer, "token_endpoint": "https://\(host)/token"])
        server.publish(document, at: "\(issuer)/.well-known/openid-configuration")
        let authority = try Authority.openIDConnect(issuer: issuer)
        #expect(try await code(authority) == (isAccepted ? nil : .authorityRejected))
    }

    @Test func `OAuth metadata that comes late does not replace a newer answer`() async throws {
        publish()
        let (discovery, asked, gate) = (discovery(), Gate(), Gate())
        let authority = try Authority.openIDConnect(issuer: issuer)
        _ = try await discovery.finding(for: authority, timeout: .seconds(30))
        server.answer { _ throws(TransportError) in
            asked.open()
            await gate.wait()
            return TransportResponse(status: 404)
        }
        let late = Task {
            try await discovery.finding(for: authority, naming: .deviceAuthorization, timeout: .seconds(30))
        }
        await asked.wait()
        clock.advance(by: 24 * 3600)
        publish(["device_authorization_endpoint": "\(issuer)/new"])
        _ = try await discovery.finding(for: authority, timeout: .seconds(30))
        gate.open()
        #expect(try await late.value.metadata.lacks(.deviceAuthorization))
        let found = try await discovery.finding(for: authority, timeout: .seconds(30))
        #expect(try found.metadata.url(of: .deviceAuthorization) == "\(issuer)/new")
    }

    @Test func `the number of authorities that are kept is bounded`() async throws {
        let discovery = discovery()
        for number in 0..<(Discovery.maximumCount + 2) {
            let issuer = "https://idp.example/\(number)"
            server.answer(json(["issuer": issuer, "token_endpoint": "\(issuer)/token"]))
            _ = try await discovery.finding(for: .openIDConnect(issuer: issuer), timeout: .seconds(30))
            clock.advance(by: 1)
        }
        // The newest are kept, the oldest are not.
        let newest = try Authority.openIDConnect(issuer: "https://idp.example/\(Discovery.maximumCount + 1)")
        _ = try await discovery.finding(for: newest, timeout: .seconds(30))
        await #expect(throws: AcquisitionError.self) {
            try await discovery.finding(for: .openIDConnect(issuer: "https://idp.example/0"), timeout: .seconds(30))
        }
    }

    // MARK: - Instance discovery

    static let newHost = "login.newcloud.example"
    static let metadataURL = "https://\(newHost)/\(Contoso.tenant)/v2.0/.well-known/openid-configuration"

    private func publishNewCloud() {
        let base = "https://\(Self.newHost)/\(Contoso.tenant)"
        let text = json(["issuer": "\(base)/v2.0", "token_endpoint": "https://alias.newcloud.example/token"])
        server.publish(text, at: Self.metadataURL)
    }

    @Test func `Microsoft's service has to confirm a host that is not built in`() async throws {
        publishNewCloud()
        let authority = try Authority.entra(tenant: Contoso.tenant, host: Self.newHost)
        server.answer(
            #"{"tenant_discovery_endpoint":"x","metadata":[{"preferred_network":"\#(Self.newHost)","#
                + #""preferred_cache":"\#(Self.newHost)","aliases":["\#(Self.newHost)","alias.newcloud.example"]}]}"#
        )
        let finding = try await discovery().finding(for: authority, timeout: .seconds(30))
        #expect(finding.metadata.tokenEndpoint == "https://alias.newcloud.example/token")
        let first = try #require(server.gets.first)
        #expect(first.url.hasPrefix("https://login.microsoftonline.com/common/discovery/instance?api-version=1.1&"))
        #expect(first.url.contains("https%3A%2F%2F\(Self.newHost)%2F\(Contoso.tenant)%2Foauth2%2Fv2.0%2Fauthorize"))
    }

    @Test func `a host that it does not confirm gets no request`() async throws {
        publishNewCloud()
        let authority = try Authority.entra(tenant: Contoso.tenant, host: Self.newHost)
        server.answer(status: 400, json(["error": "invalid_instance"]))
        #expect(try await code(authority) == .authorityRejected)
        server.answer(#"{"metadata":[{"aliases":["login.microsoftonline.com"]}]}"#)
        #expect(try await code(authority) == .authorityRejected)
        #expect(server.gets.allSatisfy { $0.url.hasPrefix("https://login.microsoftonline.com/") })
    }

    @Test func `a host that the application vouches for needs no confirmation, and has no aliases`() async throws {
        publishNewCloud()
        let authority = try Authority.entra(tenant: Contoso.tenant, host: Self.newHost)
        let discovery = discovery { $0.knownAuthorities = [authority] }
        let error = await #expect(throws: AcquisitionError.self) {
            try await discovery.finding(for: authority, timeout: .seconds(30))
        }
        #expect(error?.code == .authorityRejected)
        #expect(server.gets.map(\.url) == [Self.metadataURL])
    }

    @Test(arguments: [true, false])
    func `the group learns the hosts of a cloud only from a transport that trusts the system's roots alone`(
        _ usesSystemRoots: Bool
    ) async throws {
        let server = ScriptedServer(usesSystemRoots: usesSystemRoots)
        let host = "login.cloud.example"
        server.publish(
            json([
                "metadata": [
                    ["preferred_network": host, "preferred_cache": host, "aliases": [host, "sts.cloud.example"]]
                ]
            ]),
            at: "https://login.microsoftonline.com/common/discovery/instance?api-version=1.1&authorization_endpoint="
                + "https%3A%2F%2F\(host)%2F\(Contoso.tenant)%2Foauth2%2Fv2.0%2Fauthorize"
        )
        let base = "https://\(host)/\(Contoso.tenant)"
        server.publish(
            json(["issuer": "\(base)/v2.0", "token_endpoint": "\(base)/oauth2/v2.0/token"]),
            at: "\(base)/v2.0/.well-known/openid-configuration"
        )
        let cache = try await TokenCache.open(group: "tests", clientID: "client", storage: .memory)
        let services = Services(transport: server, clock: clock.wallClock)
        let discovery = Discovery(ClientConfiguration(clientID: "client"), services, cache: cache)
        _ = try await discovery.finding(for: .entra(tenant: Contoso.tenant, host: host), timeout: .seconds(30))
        let saved = try await cache.save(
            TokenResponse(json: Array(try Contoso().tokens("1").utf8)),
            for: TokenRequest(environment: host, tenant: Contoso.tenant, scopes: ["User.Read"], grant: .interactive)
        )
        let account = try #require(saved.account)
        let query = TokenQuery(account: account, scopes: ["User.Read"], environment: "sts.cloud.example")
        guard case .valid = try await cache.token(for: query) else {
            #expect(!usesSystemRoots)
            return
        }
        #expect(usesSystemRoots)
    }
}
