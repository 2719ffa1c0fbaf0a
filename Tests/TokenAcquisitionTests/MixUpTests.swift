// SPDX-License-Identifier: Apache-2.0

import Testing
import TokenCaching

@testable import TokenAcquisition

/// Servers that could receive each other's codes (RFC 9700, section 4.4).
@Suite struct MixUpTests {
    static let (one, other) = ("https://one.example", "https://other.example")

    let contoso: Contoso
    let browser = FakeBrowser()

    init() throws {
        contoso = try Contoso()
        for issuer in [Self.one, Self.other] { publish(issuer, namesItself: false) }
    }

    private func publish(_ issuer: String, namesItself: Bool) {
        let members: [String: Any] = [
            "issuer": issuer, "authorization_endpoint": "\(issuer)/authorize", "token_endpoint": "\(issuer)/token",
            "authorization_response_iss_parameter_supported": namesItself,
        ]
        contoso.server.publish(json(members), at: "\(issuer)/.well-known/openid-configuration")
    }

    private func client(
        cache: TokenCache? = nil,
        _ change: (inout ClientConfiguration) -> Void = { _ in }
    ) throws -> PublicClient {
        let plain = try contoso.client(browser, cache: cache)
        var configuration = plain.configuration
        change(&configuration)
        return try PublicClient(configuration, cache: plain.cache, services: plain.services)
    }

    /// Signs in at an issuer; returns the code of the error, or nil.
    private func signIn(at issuer: String, _ client: PublicClient) async throws -> AcquisitionError? {
        browser.answer { query in
            [redirect(.query, ["code": "c", "state": query["state"] ?? "", "iss": issuer])]
        }
        let pages = browser.opened.count
        contoso.answerSignIn(in: browser, claims: ["iss": issuer, "aud": client.configuration.clientID])
        var request = InteractiveRequest(scopes: ["User.Read"])
        request.authority = try .openIDConnect(issuer: issuer)
        do {
            #expect(try await client.acquireToken(request).source == .interactive)
            return nil
        } catch {
            #expect(browser.opened.count == pages, "nothing was opened")
            // The answer that nobody asked for.
            _ = try? await contoso.server.send(TransportRequest(method: .post, url: "\(issuer)/token"))
            return error
        }
    }

    @Test func `a second issuer that does not name itself needs to be allowed, once`() async throws {
        let client = try client()
        #expect(try await signIn(at: Self.one, client) == nil)
        #expect(try await signIn(at: Self.one, client) == nil)
        let error = try #require(try await signIn(at: Self.other, client))
        #expect(error.code == .issuerNotAllowed && error.description.contains(Self.one), "\(error)")
        #expect(try await signIn(at: Self.other, self.client { $0.allowedIssuers = [Self.other] }) == nil)
        // From now on both are known.
        for issuer in [Self.other, Self.one] { #expect(try await signIn(at: issuer, client) == nil) }
    }

    @Test func `an issuer that names itself in its responses needs not`() async throws {
        let client = try client()
        #expect(try await signIn(at: Self.one, client) == nil)
        publish(Self.other, namesItself: true)
        #expect(try await signIn(at: Self.other, client) == nil)
    }

    @Test func `issuers with redirect URIs of their own need not`() async throws {
        let client = try client { $0.redirectPath = .perIssuer }
        for issuer in [Self.one, Self.other] { #expect(try await signIn(at: issuer, client) == nil) }
        let uris = try [Self.one, Self.other].map {
            client.configuration.redirectURI(at: try .openIDConnect(issuer: $0))
        }
        #expect(
            uris.allSatisfy { $0.hasPrefix("http://127.0.0.1/") && $0.count == 33 } && uris[0] != uris[1],
            "\(uris)"
        )
    }

    @Test func `the redirect URI is the one that servers of the kind accept with any port`() throws {
        var configuration = ClientConfiguration(clientID: "c")
        let authorities = try [
            Authority.common, .b2c(host: "contoso.b2clogin.com", tenant: "contoso", policy: "b2c_1_x"),
            .ciam(name: "contoso"), .adfs(host: "fs.example"), .openIDConnect(issuer: Self.one),
        ]
        let uris = authorities.map { configuration.redirectURI(at: $0) }
        #expect(uris == Array(repeating: "http://localhost", count: 4) + ["http://127.0.0.1"])
        configuration.redirectURI = "http://localhost:8400/x"
        for authority in authorities { #expect(configuration.redirectURI(at: authority) == "http://localhost:8400/x") }
    }

    @Test(arguments: ["http://localhost", "http://127.0.0.1/x"])
    func `a second issuer need not be allowed at a redirect URI with another host or path`(_ uri: String) async throws {
        #expect(try await signIn(at: Self.one, client()) == nil)
        #expect(try await signIn(at: Self.other, client { $0.redirectURI = uri }) == nil)
    }

    @Test(arguments: ["http://127.0.0.1", "http://127.0.0.1/", "http://127.0.0.1:8400", "HTTP://127.0.0.1:80/"])
    func `a port and a slash do not make another redirect URI`(_ uri: String) async throws {
        for (first, second) in [(nil, uri), (uri, nil)] as [(String?, String?)] {
            let cache = try Contoso().cache
            #expect(try await signIn(at: Self.one, client(cache: cache) { $0.redirectURI = first }) == nil)
            let error = try await signIn(at: Self.other, client(cache: cache) { $0.redirectURI = second })
            #expect(error?.code == .issuerNotAllowed, "\(uri)")
        }
    }

    @Test func `the authorities of one Microsoft cloud are one server`() async throws {
        browser.answer { query in [redirect(.query, ["code": "c", "state": query["state"] ?? ""])] }
        for tenant in ["common", Contoso.tenant] {
            contoso.answerSignIn(in: browser)
            var request = InteractiveRequest(scopes: ["User.Read"])
            request.authority = try .entra(tenant: tenant)
            #expect(try await client().acquireToken(request).source == .interactive)
        }
        let sameRedirect = try client { $0.redirectURI = "http://localhost" }
        #expect(try await signIn(at: Self.one, sameRedirect)?.code == .issuerNotAllowed)
    }

    @Test func `a response of another server ends the sign-in before its code is sent`() async throws {
        let client = try client()
        browser.answer { query in
            [redirect(.query, ["code": "c", "state": query["state"] ?? "", "iss": Self.other])]
        }
        var request = InteractiveRequest(scopes: ["User.Read"])
        request.authority = try .openIDConnect(issuer: Self.one)
        let error = await #expect(throws: AcquisitionError.self) { try await client.acquireToken(request) }
        #expect(error?.code == .issuerRejected)
        #expect(contoso.server.posts.isEmpty)
    }
}
