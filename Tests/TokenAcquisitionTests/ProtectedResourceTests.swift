// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import Foundation
import Testing
import TokenCaching
import UnifiedSchema

@testable import TokenAcquisition

/// From the address of an API to a client there (RFC 9728, RFC 7591).
@Suite struct ProtectedResourceTests {
    static let address = "https://api.example/mcp"
    static let metadataURL = "https://api.example/.well-known/oauth-protected-resource/mcp"
    static let (one, other) = ("https://one.example/t", "https://other.example/t")
    static let redirect = "http://127.0.0.1"

    let server = ScriptedServer()
    let clock = TestClock()
    let cache: TokenCache

    init() throws {
        cache = try TokenCache(
            group: "tests",
            clientID: "tool",
            storage: .memory,
            options: TokenCacheOptions(clock: clock.wallClock)
        )
        describe()
        for issuer in [Self.one, Self.other] { publish(issuer) }
    }

    /// Publishes the metadata of the API, nil for a member that it does not have.
    private func describe(_ changes: [String: (any Sendable)?] = [:], at url: String = metadataURL) {
        let members: [String: (any Sendable)?] = [
            "resource": Self.address, "authorization_servers": [Self.one],
            "scopes_supported": ["files.read", "files.write"],
        ]
        server.publish(json(members.merging(changes) { $1 }.compactMapValues { $0 }), at: url)
    }

    /// Publishes the metadata of an authority, and what it answers to registrations.
    private func publish(
        _ issuer: String,
        _ changes: [String: (any Sendable)?] = [:],
        registration: [String: (any Sendable)?] = [:]
    ) {
        let members: [String: (any Sendable)?] = [
            "issuer": issuer, "token_endpoint": "\(issuer)/token", "authorization_endpoint": "\(issuer)/authorize",
            "registration_endpoint": "\(issuer)/register",
            "scopes_supported": ["openid", "offline_access", "files.read"],
        ]
        server.publish(
            json(members.merging(changes) { $1 }.compactMapValues { $0 }),
            at: "\(issuer)/.well-known/openid-configuration"
        )
        let answer: [String: (any Sendable)?] = [
            "client_id": "client-of-\(issuer)", "redirect_uris": [Self.redirect], "token_endpoint_auth_method": "none",
        ]
        server.publish(
            json(answer.merging(registration) { $1 }.compactMapValues { $0 }),
            at: "\(issuer)/register"
        )
    }

    private func find(
        _ address: String = address,
        header: String? = nil,
        in cache: TokenCache? = nil,
        listener: (any RedirectListener)? = nil,
        _ change: (inout ProtectedResourceRequest) -> Void = { _ in }
    ) async throws -> ProtectedResource {
        var request = ProtectedResourceRequest(address: address, wwwAuthenticate: header)
        change(&request)
        var services = Services(transport: server, clock: clock.wallClock)
        services.redirectListener = listener
        return try await ProtectedResource.find(request, in: cache ?? self.cache, services: services)
    }

    private func failure(
        _ address: String = address,
        header: String? = nil,
        _ change: (inout ProtectedResourceRequest) -> Void = { _ in }
    ) async -> AcquisitionError? {
        await #expect(throws: AcquisitionError.self) { try await find(address, header: header, change) }
    }

    private var registrations: [SeenRequest] { server.posts.filter { $0.url.hasSuffix("/register") } }

    @Test func `the address leads to a registered client, which the group keeps`() async throws {
        publish(Self.one, registration: ["client_secret": "worthless", "registration_access_token": "rat"])
        let api = try await find()
        #expect(server.gets.prefix(2).map(\.url) == [Self.address, Self.metadataURL])
        #expect(api.configuration.authority.url == Self.one && api.configuration.clientID == "client-of-\(Self.one)")
        #expect(api.configuration.redirectURI == Self.redirect && api.configuration.credential == nil)
        #expect(api.scopes == ["files.read", "files.write"] && api.resource == Self.address && api.accountID == nil)
        let sent = try JSONSerialization.jsonObject(with: Data(registrations[0].body.utf8)) as? [String: Any] ?? [:]
        #expect(
            sent["token_endpoint_auth_method"] as? String == "none"
                && sent["redirect_uris"] as? [String] == [Self.redirect]
        )
        #expect(sent["grant_types"] as? [String] == ["authorization_code", "refresh_token"])
        #expect(sent["scope"] as? String == "files.read files.write openid offline_access")
        #expect(try await find() == api)
        #expect(registrations.count == 1)
        let before = server.gets.count
        try await api.keep(in: cache)
        #expect(try await ProtectedResource.kept(at: Self.address, in: cache) == api)
        #expect(try await ProtectedResource.kept(at: "\(Self.address)/", in: cache) == nil)
        #expect(server.gets.count == before, "nothing is sent")
        #expect(!"\(api)\(String(reflecting: api))".contains("api.example"))
    }

    @Test(arguments: [
        ("https://api.example", "/.well-known/oauth-protected-resource"),
        ("https://api.example/", "/.well-known/oauth-protected-resource"),
        ("https://api.example/a/b/", "/.well-known/oauth-protected-resource/a/b/"),
        ("https://api.example/a?t=1", "/.well-known/oauth-protected-resource/a?t=1"),
        ("https://api.example?t=1", "/.well-known/oauth-protected-resource?t=1"),
    ])
    func `the well-known place has the path and the query of the address`(_ address: String, _ place: String)
        async throws
    {
        describe(["resource": address], at: "https://api.example\(place)")
        #expect(try await find(address).address == address)
    }

    @Test(arguments: [true, false])
    func `a challenge names the place of the metadata, and the scopes`(_ isGiven: Bool) async throws {
        let place = "https://api.example/metadata"
        describe(at: place)
        server.publish("{}", at: Self.metadataURL)
        let header =
            "Basic realm=x, Bearer error=\"invalid_token\", scope=\"files.read\", resource_metadata=\"\(place)\""
        if !isGiven { server.answer(status: 401, "", headers: ["WWW-Authenticate": header]) }
        #expect(try await find(header: isGiven ? header : nil).scopes == ["files.read"])
        #expect(server.gets.prefix(2).map(\.url).contains(Self.address) == !isGiven)
    }

    @Test(
        arguments: [
            // Nothing that the API says makes another API's tokens, or leads to another server.
            (["resource": "https://api.example"], .responseRejected),
            (["resource": "https://api.example/mcp/"], .responseRejected),
            (["resource": "https://API.example/mcp"], .responseRejected),
            (["resource": "https://bank.example/"], .responseRejected),
            (["resource": "https://api.example/mcp\u{1B}[2J"], .responseRejected),
            (["resource": nil], .responseRejected), (["resource": 7], .responseRejected),
            (["authorization_servers": ["http://one.example/t"]], .authorityRejected),
            (["authorization_servers": ["https://x@one.example/t", "file:///etc"]], .authorityRejected),
            (["authorization_servers": ["https://one.example/t\n"]], .authorityRejected),
            (
                ["authorization_servers": ["http://127.0.0.1:9", "https://localhost/t", "http://[::1]"]],
                .authorityRejected
            ),
            (
                [
                    "authorization_servers": [
                        "https://0.0.0.0:9/t", "https://127.1/t", "https://2130706433/t", "https://a.localhost/t",
                        "https://[::]/t", "https://[0:0:0:0:0:0:0:1]/t", "https://[::ffff:127.0.0.1]/t",
                        "https://[::ffff:7f00:1]/t", "https://[::127.0.0.1]/t",
                    ]
                ],
                .authorityRejected
            ),
            (["authorization_servers": ["https://one.example/T"]], .responseRejected),
            (["authorization_servers": nil], .configurationRejected),
            (["authorization_servers": [one, other]], .severalAuthorizationServers),
            (["scopes_supported": ["files.read", "a\u{7}"]], .responseRejected),
            (["scopes_supported": ["a b"]], .responseRejected),
            (["scopes_supported": Array(repeating: String(repeating: "a", count: 4096), count: 64)], .responseRejected),
        ] as [([String: (any Sendable)?], AcquisitionError.Code)]
    )
    func `metadata of an API that cannot be believed is refused`(
        _ changes: [String: (any Sendable)?],
        _ expected: AcquisitionError.Code
    ) async throws {
        describe(changes)
        let error = await failure()
        #expect(
            error?.code == expected && error?.description.contains("\u{1B}") == false,
            "\(String(describing: error))"
        )
        #expect(registrations.isEmpty)
        #expect(try await ProtectedResource.kept(at: Self.address, in: cache) == nil)
    }

    @Test(arguments: [
        "https://evil.example/metadata", "http://api.example/metadata", "https://api.example:444/metadata", "metadata",
        "https://api.example/a\u{7}",
    ])
    func `a challenge that leads to another server is refused`(_ place: String) async throws {
        server.publish(json(["resource": Self.address, "authorization_servers": [Self.one]]), at: place)
        #expect(await failure(header: "Bearer resource_metadata=\"\(place)\"")?.code == .authorityRejected)
        #expect(server.gets.isEmpty)
    }

    @Test(arguments: [
        "http://api.example/", "api.example", "https://x@api.example/", "https://api.example/#a", "", "https://a/\n",
    ])
    func `an address that is none is refused`(_ address: String) async {
        #expect(await failure(address)?.code == .requestRejected)
        #expect(server.gets.isEmpty)
    }

    @Test(
        arguments: [
            (["redirect_uris": ["http://127.0.0.1/other"]], .responseRejected),
            (["redirect_uris": ["https://evil.example"]], .responseRejected),
            (["redirect_uris": nil], .responseRejected), (["redirect_uris": [String]()], .responseRejected),
            (["token_endpoint_auth_method": "client_secret_basic", "client_secret": "s"], .responseRejected),
            (["token_endpoint_auth_method": nil, "client_secret": "s"], .responseRejected),
            (["token_endpoint_auth_method": nil], nil), (["redirect_uris": ["https://more.example", redirect]], nil),
            (["client_id": nil], .responseRejected), (["client_id": ""], .responseRejected),
            (["client_id": "  "], .responseRejected),
            (["client_id": "c\u{1}"], .responseRejected), (["client_id": "c d"], nil),
            (["client_id": "c\u{E9}"], .responseRejected),
            (["client_id": String(repeating: "c", count: 513)], .responseRejected),
        ] as [([String: (any Sendable)?], AcquisitionError.Code?)]
    )
    func `a registration that is not the requested one is refused`(
        _ changes: [String: (any Sendable)?],
        _ expected: AcquisitionError.Code?
    ) async throws {
        publish(Self.one, registration: changes)
        guard let expected else {
            _ = try await find()
            return
        }
        let error = await failure()
        #expect(error?.code == expected, "\(String(describing: error))")
        #expect(try await ProtectedResource.kept(at: Self.address, in: cache) == nil)
    }

    @Test(arguments: [
        (201, "{\"client_id\":\"c\",\"redirect_uris\":[\"http://127.0.0.1\"]}", "application/json", nil),
        (302, "", "text/plain", AcquisitionError.Code.responseRejected),
        (400, "{\"error\":\"invalid_redirect_uri\"}", "application/json", .serverRefused),
        (401, "", "text/plain", .serverRefused), (403, "", "text/plain", .serverRefused),
        (404, "", "text/plain", .responseRejected), (429, "", "text/plain", .throttled),
        (503, "", "text/plain", .serverUnavailable), (201, "<html>", "text/html", .responseRejected),
    ])
    func `the statuses of a registration have their errors`(
        _ status: Int,
        _ body: String,
        _ type: String,
        _ expected: AcquisitionError.Code?
    ) async throws {
        publish(Self.one, ["registration_endpoint": "\(Self.one)/elsewhere"])
        server.answer(status: status, body, headers: ["Content-Type": type])
        if let expected {
            #expect(await failure(header: "Bearer")?.code == expected)
        } else {
            #expect(try await find(header: "Bearer").configuration.clientID == "c")
        }
    }

    @Test func `what is too large, or leads elsewhere, is no metadata`() async throws {
        server.answer(failure: TransportError(.responseTooLarge, mayHaveBeenSent: true))
        // The API itself may answer what it likes.
        #expect(try await find().scopes.count == 2)
        for _ in 0..<2 { server.answer(status: 302, "", headers: ["Location": Self.metadataURL]) }
        #expect(await failure("https://api.example/other")?.code == .responseRejected)
        server.answer(failure: TransportError(.responseTooLarge, mayHaveBeenSent: true))
        let error = await failure("https://api.example/third", header: "Bearer")
        #expect(error?.transportError?.code == .responseTooLarge)
        #expect(server.gets.allSatisfy { $0.timeout <= .seconds(30) })
    }

    @Test func `of several authorities the caller chooses one that the API names`() async throws {
        describe(["authorization_servers": [Self.one, Self.other, Self.one]])
        let error = await failure()
        #expect(error?.authorizationServers == [Self.one, Self.other])
        #expect(error?.description.contains("\(Self.one), \(Self.other)") == true)
        #expect(
            try await find { $0.authority = try? Authority(Self.other) }.configuration.clientID
                == "client-of-\(Self.other)"
        )
        #expect(await failure { $0.authority = try? Authority("https://third.example") }?.code == .authorityRejected)
        describe(["authorization_servers": nil])
        #expect(try await find { $0.authority = try? Authority(Self.one) }.configuration.authority.url == Self.one)
    }

    @Test func `a registered client is never used at another authority`() async throws {
        _ = try await find()
        describe(["authorization_servers": [Self.other]])
        let api = try await find()
        #expect(api.configuration.clientID == "client-of-\(Self.other)" && registrations.map(\.url).count == 2)
        #expect(api.configuration.authority.url == Self.other)
        publish(Self.other, ["registration_endpoint": "\(Self.one)/register"])
        #expect(await failure { $0.registersAnew = true }?.code == .authorityRejected)
    }

    @Test func `a client is registered anew for other scopes, for another redirect URI, and on request`() async throws {
        _ = try await find()
        _ = try await find { $0.scopes = ["files.write"] }
        _ = try await find { $0.redirectURI = Self.redirect }
        let second = "https://api.example/second"
        describe(["resource": second, "scopes_supported": nil], at: Self.metadataURL.replacing("mcp", with: "second"))
        #expect(
            try await find(second) { $0.scopes = ["files.write"] }.configuration.clientID == "client-of-\(Self.one)"
        )
        #expect(registrations.count == 1, "one for both")
        #expect(await failure { $0.redirectURI = "http://localhost:1/a" }?.code == .responseRejected)
        publish(Self.one, registration: ["client_id": "next"])
        _ = try await find { $0.scopes = ["files.read"] }
        try await find { $0.registersAnew = true }.keep(in: cache)
        #expect(registrations.count == 3)
        #expect(try await ProtectedResource.kept(at: Self.address, in: cache)?.configuration.clientID == "next")
        #expect(try await find(second).scopes == ["openid"])
        #expect(registrations.count == 3, "the registration has this scope too")
    }

    @Test func `a client that the caller names is used, and needs no registration`() async throws {
        publish(Self.one, ["registration_endpoint": nil])
        let error = await failure()
        #expect(error?.code == .configurationRejected)
        #expect(error?.description.contains("registers no clients: name one") == true)
        #expect(await failure { $0.clientID = "own\n" }?.code == .requestRejected)
        for id in ["own", nil] {
            let api = try await find { ($0.clientID, $0.scopes) = (id, ["files.read"]) }
            #expect(api.configuration.clientID == "own" && api.configuration.redirectURI == nil)
            try await api.keep(in: cache)
        }
        #expect(registrations.isEmpty)
    }

    @Test(arguments: [
        [:], ["revocation_endpoint": "https://elsewhere.example/r"],
        ["device_authorization_endpoint": "https://elsewhere.example/d"],
        ["authorization_endpoint": "\(one)/authorize?tenant=a", "token_endpoint": "\(one)/token"],
    ])
    func `at an authority without id tokens the account has a name of its own`(
        _ changes: [String: String]
    ) async throws {
        publish(Self.one, ["scopes_supported": nil].merging(changes.mapValues { $0 }) { $1 })
        try await find().keep(in: cache)
        for api in [try await find(), try await ProtectedResource.kept(at: Self.address, in: cache)] {
            #expect(api?.configuration.authority == (try .oauth(issuer: Self.one)))
            #expect(api?.accountID == Account.ID("user"))
        }
        #expect(registrations[0].body.contains("\"scope\":\"files.read files.write\""))
    }

    @Test func `an API without scopes at an authority without id tokens is registered without any`() async throws {
        publish(Self.one, ["scopes_supported": nil])
        describe(["scopes_supported": nil])
        #expect(try await find().scopes == ["openid"])
        #expect(registrations.count == 1 && !registrations[0].body.contains("scope"), "\(registrations)")
        _ = try await find()
        #expect(registrations.count == 1)
    }

    @Test func `what the listener does not support is not registered`() async throws {
        struct Listener: RedirectListener {
            func listen(at redirectURI: String) async throws(AcquisitionError) -> any RedirectSession {
                throw AcquisitionError(.configurationRejected, detail: "the redirect URI")
            }
        }
        let error = await #expect(throws: AcquisitionError.self) {
            try await find(listener: Listener()) { $0.redirectURI = "https://app.example/cb" }
        }
        #expect(error?.code == .configurationRejected && registrations.isEmpty)
    }

    /// What the server says that it granted, the scopes that are kept, and those of a renewal.
    @Test(arguments: [("mcp:tools", ["mcp:tools"], "mcp:tools"), (nil, ["openid"], nil)])
    func `where nobody names scopes, the server chooses them, and later requests are for these`(
        granted: String?,
        kept: [String],
        asked: String?
    ) async throws {
        describe(["scopes_supported": nil])
        publish(Self.one, ["scopes_supported": nil])
        let browser = FakeBrowser()
        browser.answer { query in
            [TokenAcquisitionTests.redirect(.query, ["code": "c-1", "state": query["state"] ?? ""])]
        }
        var services = Services(transport: server, clock: clock.wallClock)
        (services.browser, services.redirectListener) = (browser, browser)
        let api = try await find { $0.clientID = "tool" }
        let client = try PublicClient(api.configuration, cache: cache, services: services)
        var request = InteractiveRequest(scopes: api.scopes)
        (request.resource, request.accountID) = (api.resource, api.accountID)
        func tokens(_ suffix: String) -> String {
            let members: [String: (any Sendable)?] = [
                "token_type": "Bearer", "expires_in": 3600, "access_token": "at-\(suffix)",
                "refresh_token": "rt-\(suffix)",
                "scope": granted,
            ]
            return json(members.compactMapValues { $0 })
        }
        server.answer(tokens("1"))
        let result = try await client.acquireToken(request)
        #expect(browser.query["scope"] == nil)
        try await api.keep(in: cache, after: result)
        let known = try #require(try await ProtectedResource.kept(at: Self.address, in: cache))
        #expect(known.scopes == kept)
        #expect(try await find { $0.clientID = "tool" }.scopes == kept)
        var silent = SilentRequest(scopes: known.scopes, account: try #require(try await result.account()))
        silent.resource = known.resource
        #expect(try await client.acquireTokenSilent(silent).source == .cache)
        clock.advance(by: 4000)
        server.answer(tokens("2"))
        #expect(try await client.acquireTokenSilent(silent).source == .renewal)
        #expect(server.posts.last?.form["scope"] == asked)
    }

    @Test func `metadata of the whole host serve an API without metadata of its own, if they name it`() async throws {
        let (address, place) = ("https://api.example/other", "https://api.example/.well-known/oauth-protected-resource")
        describe(["resource": address], at: place)
        #expect(try await find(address).configuration.authority.url == Self.one)
        describe(["resource": "https://api.example"], at: place)
        #expect(await failure(address)?.code == .responseRejected)
    }

    @Test func `the scopes are those of the challenge for tokens, and not of another scheme`() async throws {
        let header = #"Custom scope="admin", Bearer scope="files.read", resource_metadata="\#(Self.metadataURL)""#
        #expect(try await find(header: header).scopes == ["files.read"])
        #expect(try await find(header: #"Custom scope="admin""#).scopes == ["files.read", "files.write"])
    }

    @Test func `a sign-in that does not happen changes nothing`() async throws {
        _ = try await find { $0.clientID = "typo" }
        #expect(try await ProtectedResource.kept(at: Self.address, in: cache) == nil)
        let api = try await find()
        #expect(try await ProtectedResource.kept(at: Self.address, in: cache) == nil)
        #expect(try await find() == api && api.configuration.clientID == "client-of-\(Self.one)")
        #expect(registrations.count == 1)
        try await api.keep(in: cache)
        describe(["authorization_servers": [Self.one, Self.other]])
        _ = try await find { ($0.clientID, $0.authority) = ("typo", api.configuration.authority) }
        let elsewhere = try await find { $0.authority = try? Authority(Self.other) }
        #expect(elsewhere.configuration.clientID == "client-of-\(Self.other)")
        #expect(try await ProtectedResource.kept(at: Self.address, in: cache) == api)
        try await elsewhere.keep(in: cache)
        #expect(try await ProtectedResource.kept(at: Self.address, in: cache) == elsewhere)
    }

    @Test func `what is larger than 8 KiB is not kept, and leaves space for others`() async throws {
        let scopes = ["a", String(repeating: "b", count: 8 << 10)]
        let api = try await find { ($0.clientID, $0.scopes) = ("own", scopes) }
        let error = await #expect(throws: AcquisitionError.self) { try await api.keep(in: cache) }
        #expect(error?.code == .requestRejected && error?.cacheError?.code == .invalidRequest)
        #expect(await failure { $0.scopes = scopes }?.code == .requestRejected)
        try await find().keep(in: cache)
    }

    @Test func `endpoint hosts are those that the caller names, each time`() async throws {
        publish(Self.one, ["scopes_supported": nil, "token_endpoint": "https://tokens.example/t"])
        #expect(await failure()?.endpointHost == "tokens.example")
        let hosts = ["tokens.example"]
        let api = try await find { $0.endpointHosts = hosts }
        try await api.keep(in: cache)
        for hosts in [[], hosts] {
            let kept = try await ProtectedResource.kept(at: Self.address, in: cache, endpointHosts: hosts)
            #expect(kept?.configuration.authority == (try .oauth(issuer: Self.one, endpointHosts: hosts)))
        }
    }

    @Test func `what the sign-in requests in addition is registered too`() async throws {
        _ = try await find { $0.addedScopes = ["openid"] }
        #expect(registrations[0].body.contains("\"scope\":\"files.read files.write openid\""))
        #expect(try await find { $0.addedScopes = ["openid"] }.configuration.addedScopes == ["openid"])
        #expect(registrations.count == 1)
        _ = try await find()
        #expect(registrations.count == 2)
    }

    @Test func `the client of another process is used only for the same redirect URI`() async throws {
        publish(Self.one, ["registration_endpoint": "\(Self.one)/elsewhere"])
        let (own, other) = ("\(Self.redirect):1/own", "\(Self.redirect):2/other")
        @Sendable func answer(_ id: String, _ uri: String) -> TransportResponse {
            let body = json(["client_id": id, "redirect_uris": [uri]])
            return TransportResponse(
                status: 201,
                headers: [.init("Content-Type", "application/json")],
                body: Array(body.utf8)
            )
        }
        server.answer { _ throws(TransportError) in
            server.answer { _ throws(TransportError) in answer("other", other) }
            _ = try? await find(header: "Bearer") { $0.redirectURI = other }
            return answer("own", own)
        }
        let api = try await find(header: "Bearer") { $0.redirectURI = own }
        #expect(api.configuration.clientID == "own" && api.configuration.redirectURI == own)
        #expect(server.posts.count == 2)
    }

    @Test func `a client that is kept needs no metadata of OAuth`() async throws {
        publish(Self.one, ["registration_endpoint": nil])
        server.answer(
            json([
                "issuer": Self.one, "token_endpoint": "\(Self.one)/token",
                "registration_endpoint": "\(Self.one)/register",
            ])
        )
        let api = try await find(header: "Bearer")
        server.answer(status: 503, "")
        #expect(try await find(header: "Bearer") == api)
        #expect(registrations.count == 1)
    }

    @Test func `a damaged client is replaced`() async throws {
        let damaged = [
            "resource": Self.address, "authority": Self.one, "client_id": "c\n", "redirect_uri": Self.redirect,
            "scope": "a", "registered_scope": "files.read files.write",
        ]
        _ = try await cache.keep(
            resource: try JSONValue(parsing: Array(json(damaged).utf8).rawSpan)
        ) { _ in false }
        for _ in 0..<2 { _ = try await find() }
        #expect(registrations.count == 1)
    }

    @Test func `at Microsoft's servers the scopes name the API`() async throws {
        let microsoft = "https://login.microsoftonline.com/\(Contoso.tenant)"
        describe(["authorization_servers": ["\(microsoft)/v2.0"], "scopes_supported": ["api://x/.default"]])
        let members = ["issuer": "\(microsoft)/v2.0", "token_endpoint": "\(microsoft)/oauth2/v2.0/token"]
        server.publish(json(members), at: "\(microsoft)/v2.0/.well-known/openid-configuration")
        let api = try await find { $0.clientID = Contoso.clientID }
        #expect(api.resource == nil && api.configuration.authority.url == microsoft)
    }

    @Test func `processes that register at once use one client`() async throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "resources-\(UUID())").path()
        defer { try? FileManager.default.removeItem(atPath: root) }
        publish(Self.one, ["registration_endpoint": "\(Self.one)/elsewhere"])
        let caches = try (0..<8).map { index in
            try TokenCache(
                group: "tests",
                clientID: "client-\(index)",
                root: root,
                storage: .file(unlockedBy: .keyFile),
                options: TokenCacheOptions(clock: clock.wallClock, timeout: .seconds(60))
            )
        }
        for index in caches.indices {
            server.answer(
                status: 201,
                json([
                    "client_id": "c-\(index)", "redirect_uris": [Self.redirect], "token_endpoint_auth_method": "none",
                ])
            )
        }
        let clients = try await withThrowingTaskGroup(of: String.self) { group in
            for cache in caches {
                group.addTask {
                    let api = try await find(header: "Bearer", in: cache)
                    try await api.keep(in: cache)
                    return api.configuration.clientID
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(clients.count == 1, "\(clients)")
        for cache in caches {
            #expect(
                try await ProtectedResource.kept(at: Self.address, in: cache)?.configuration.clientID == clients.first
            )
        }
    }

    @Test func `the oldest of more than 64 addresses goes`() async throws {
        try await find { $0.clientID = "own" }.keep(in: cache)
        for index in 0..<64 {
            let address = "https://api.example/\(index)"
            describe(["resource": address], at: Self.metadataURL.replacing("mcp", with: "\(index)"))
            try await find(address, header: "Bearer") { $0.clientID = "own" }.keep(in: cache)
        }
        #expect(try await ProtectedResource.kept(at: Self.address, in: cache) == nil)
        #expect(try await ProtectedResource.kept(at: "https://api.example/0", in: cache) != nil)
    }

    @Test func `what another program stored is checked`() async throws {
        for (authority, clientID) in [
            ("http://evil.example", "c"), ("https://one.example", "c\n"), ("", "c"), ("HTTPS://one.example", "c"),
        ] {
            let stored = [
                "resource": Self.address, "authority": authority, "client_id": clientID, "scope": "a", "kind": "oauth",
            ]
            let parsed = try JSONValue(parsing: Array(json(stored).utf8).rawSpan)
            _ = try await cache.keep(resource: parsed) { _ in false }
            #expect(try await ProtectedResource.kept(at: Self.address, in: cache) == nil)
        }
    }
}
