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
        _ authority: Authority? = nil
    ) async throws -> ProviderMetadata {
        let services = Services(transport: server ?? self.server, clock: clock.wallClock)
        let discovery = Discovery(
            ClientConfiguration(clientID: "client"),
            services,
            store: MetadataStore(cache: cache)
        )
        let authority = try authority ?? .openIDConnect(issuer: Self.issuer)
        return try await discovery.finding(for: authority, timeout: .seconds(5)).metadata
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
        _ = try await discovery.finding(for: authority, timeout: .seconds(5))
        #expect(server.gets.count == 1)
        clock.advance(by: 10)
        _ = try await discovery.finding(for: authority, timeout: .seconds(5))
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
