// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import Testing
import TokenCaching
import UnifiedSchema

@testable import TokenAcquisition

/// Metadata that one process of a group requests and others use. Each `Discovery` here stands for a process.
@Suite struct StoredMetadataTests {
    let server = ScriptedServer()
    let clock = TestClock()
    let cache: TokenCache
    static let issuer = "https://idp.example/s/1"
    static let url = "\(issuer)/.well-known/openid-configuration"
    static let honest: [String: any Sendable] = [
        "issuer": issuer, "token_endpoint": "\(issuer)/token", "scopes_supported": ["openid", "mail"],
    ]

    init() throws {
        cache = try TokenCache(
            group: "tests",
            clientID: "client",
            storage: .memory,
            options: TokenCacheOptions(clock: clock.wallClock)
        )
        server.publish(json(Self.honest), at: Self.url)
    }

    private func finding(
        _ server: ScriptedServer? = nil,
        _ authority: Authority? = nil,
        naming endpoint: OptionalEndpoint? = nil
    ) async throws -> ProviderMetadata {
        let services = Services(transport: server ?? self.server, clock: clock.wallClock)
        let discovery = Discovery(
            ClientConfiguration(clientID: "client"),
            services,
            store: MetadataStore(cache: cache)
        )
        let authority = try authority ?? .openIDConnect(issuer: Self.issuer)
        return try await discovery.finding(for: authority, naming: endpoint, timeout: .seconds(30)).metadata
    }

    @Test func `endpoints from OAuth metadata do not make what the group keeps younger`() async throws {
        _ = try await finding()
        server.publish(
            json(Self.honest.merging(["revocation_endpoint": "\(Self.issuer)/revoke"]) { $1 }),
            at: "https://idp.example/.well-known/oauth-authorization-server/s/1"
        )
        clock.advance(by: 24 * 3600 - 1)
        #expect(try await !finding(naming: .revocation).lacks(.revocation))
        clock.advance(by: 1)
        let before = server.gets.count
        _ = try await finding()
        #expect(server.gets.count == before + 1)
    }

    /// Writes as another program of the group might: with the group's key, and whatever it likes.
    private func poison(_ changes: [String: any Sendable]) async throws {
        let text = json(Self.honest.merging(changes) { $1 })
        try await cache.storeMetadata(try JSONValue(parsing: Array(text.utf8).rawSpan), at: Self.url)
    }

    @Test func `metadata that one process requested is used by the others, for a day`() async throws {
        let first = try await finding()
        #expect(try await finding() == first)
        #expect(server.gets.count == 1)
        clock.advance(by: 24 * 3600 - 1)
        #expect(try await finding() == first)
        #expect(server.gets.count == 1)
        clock.advance(by: 1)
        #expect(try await finding() == first)
        #expect(server.gets.count == 2)
    }

    @Test func `a process that took it from the group requests it when its day is over`() async throws {
        _ = try await finding()
        clock.advance(by: 24 * 3600 - 10)
        let services = Services(transport: server, clock: clock.wallClock)
        let discovery = Discovery(
            ClientConfiguration(clientID: "client"),
            services,
            store: MetadataStore(cache: cache)
        )
        let authority = try Authority.openIDConnect(issuer: Self.issuer)
        _ = try await discovery.finding(for: authority, timeout: .seconds(30))
        #expect(server.gets.count == 1)
        clock.advance(by: 10)
        _ = try await discovery.finding(for: authority, timeout: .seconds(30))
        #expect(server.gets.count == 2)
    }

    @Test(
        arguments: [
            ["issuer": "https://idp.example/s/2"],
            ["issuer": "https://evil.example"],
            ["token_endpoint": "https://evil.example/token"],
            ["token_endpoint": "http://idp.example/token"],
            ["token_endpoint": 7],
            ["token_endpoint": "https://idp.example/s/2/token"],
            ["token_endpoint": "https://idp.example/s/10/token"],
            ["token_endpoint": "https://idp.example/S/1/token"],
            ["token_endpoint": "https://idp.example/s/1"],
            ["authorization_endpoint": "https://idp.example/anyones/page"],
            ["device_authorization_endpoint": "https://evil.example/device"],
            ["revocation_endpoint": "https://evil.example/revoke"],
            ["authorization_endpoint": "https://evil.example/authorize"],
        ] as [[String: any Sendable]]
    )
    func `poisoned metadata in the group is ignored, and replaced by the server's`(
        _ changes: [String: any Sendable]
    ) async throws {
        try await poison(changes)
        #expect(try await finding().tokenEndpoint == "\(Self.issuer)/token")
        #expect(server.gets.map(\.url) == [Self.url])
        // What was poisoned is gone: the next process needs no request.
        #expect(try await finding().tokenEndpoint == "\(Self.issuer)/token")
        #expect(server.gets.count == 1)
    }

    @Test(
        arguments: [
            ("https://idp.example", "https://idp.example/token"),
            ("https://idp.example/s/1", "https://idp.example/token"),
        ]
    )
    func `endpoints that are not below the issuer's path stay in the process`(
        _ issuer: String,
        _ tokenEndpoint: String
    ) async throws {
        let server = ScriptedServer()
        server.publish(
            json(["issuer": issuer, "token_endpoint": tokenEndpoint]),
            at: "\(issuer)/.well-known/openid-configuration"
        )
        for count in 1...2 {
            #expect(try await finding(server, .openIDConnect(issuer: issuer)).tokenEndpoint == tokenEndpoint)
            #expect(server.gets.count == count)
        }
    }

    @Test func `a time in the future keeps nothing`() async throws {
        clock.advance(by: 100_000)
        try await poison([:])
        clock.advance(by: -50_000)
        _ = try await finding()
        #expect(server.gets.count == 1)
    }

    @Test func `what was received by trust in other roots stays in the process`() async throws {
        let other = ScriptedServer(usesSystemRoots: false)
        other.publish(json(Self.honest), at: Self.url)
        _ = try await finding(other)
        _ = try await finding()
        #expect(server.gets.count == 1)
        _ = try await finding(other)
        #expect(other.gets.count == 2)
    }

    @Test(arguments: [true, false])
    func `which hosts belong to a cloud is kept only if the system's roots vouch for it`(
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
        _ = try await finding(server, .entra(tenant: Contoso.tenant, host: host))
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

    @Test func `metadata of a tenant given by its domain stays in the process`() async throws {
        let authority = try Authority.entra(tenant: "contoso.example")
        let url = "\(Contoso.host)/contoso.example/v2.0/.well-known/openid-configuration"
        func metadata(_ tenant: String) -> String {
            let base = "\(Contoso.host)/\(tenant)"
            return json(["issuer": "\(base)/v2.0", "token_endpoint": "\(base)/oauth2/v2.0/token"])
        }
        // Another program of the group names another tenant.
        let other = "99999999-86f1-41af-91ab-2d7cd011db47"
        try await cache.storeMetadata(try JSONValue(parsing: Array(metadata(other).utf8).rawSpan), at: url)
        server.publish(metadata(Contoso.tenant), at: url)
        for count in 1...2 {
            let found = try await finding(nil, authority)
            #expect(found.tokenEndpoint == "\(Contoso.host)/\(Contoso.tenant)/oauth2/v2.0/token")
            #expect(server.gets.count == count)
        }
    }

    @Test func `the number of authorities is bounded, and the newest are kept`() async throws {
        for number in 0..<20 {
            let issuer = "https://idp.example/many/\(number)"
            server.publish(
                json(["issuer": issuer, "token_endpoint": "\(issuer)/token"]),
                at: "\(issuer)/.well-known/openid-configuration"
            )
            _ = try await finding(nil, .openIDConnect(issuer: issuer))
        }
        let requests = server.gets.count
        _ = try await finding(nil, .openIDConnect(issuer: "https://idp.example/many/19"))
        #expect(server.gets.count == requests)
        _ = try await finding(nil, .openIDConnect(issuer: "https://idp.example/many/0"))
        #expect(server.gets.count == requests + 1)
    }

    @Test func `metadata too large for the group is used all the same`() async throws {
        let scopes = (0..<256).map { "scope-with-a-rather-long-name-\($0)-\(String(repeating: "x", count: 20))" }
        server.publish(json(Self.honest.merging(["scopes_supported": scopes]) { $1 }), at: Self.url)
        #expect(try await finding().scopes?.count == 256)
        #expect(try await finding().scopes?.count == 256)
        #expect(server.gets.count == 2)
    }
}
