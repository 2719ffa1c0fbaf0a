// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing
import TokenCaching

@testable import TokenAcquisition

/// How a client with a secret authenticates (RFC 6749, section 2.3; RFC 7523, section 2.2).
@Suite struct ClientCredentialTests {
    /// A secret that is another one each time.
    final class Rotating: Sendable {
        private let count = Mutex(0)

        var asked: Int { count.withLock { $0 } }

        func next() throws -> ClientSecret {
            let number = count.withLock { count in
                count += 1
                return count
            }
            return try ClientSecret("canary secret-\(number)")
        }
    }

    /// What the client authenticated with, in the header or in the body.
    private static func secret(_ request: SeenRequest) -> String? {
        if let text = request.form["client_secret"] { return request.headers["authorization"] == nil ? text : nil }
        guard let header = request.headers["authorization"], header.hasPrefix("Basic "),
            let data = Data(base64Encoded: String(header.dropFirst(6)))
        else { return nil }
        let parts = String(decoding: data, as: UTF8.self).split(separator: ":", omittingEmptySubsequences: false)
        let texts = parts.map { $0.replacing("+", with: " ").removingPercentEncoding ?? "" }
        return texts.count == 2 && texts[0] == request.form["client_id"] ? texts[1] : nil
    }

    static let methods: [(listed: [String]?, isHeader: Bool)] = [
        (nil, true), (["client_secret_basic"], true), (["client_secret_post"], false),
        (["client_secret_post", "client_secret_basic"], true),
        (["none", "private_key_jwt", "client_secret_post"], false),
    ]

    @Test(arguments: methods.indices) func `every request has the secret of that moment, where the metadata says`(
        _ index: Int
    ) async throws {
        let (listed, isHeader) = Self.methods[index]
        let rotating = Rotating()
        let fabrikam = try Fabrikam(listed.map { ["token_endpoint_auth_methods_supported": $0] } ?? [:]) {
            $0.credential = .secret { try rotating.next() }
        }
        let account = try await fabrikam.account(granted: "openid mail")
        fabrikam.server.answer(fabrikam.tokens("2", ["scope": "openid mail"]))
        _ = try await fabrikam.silent(account) { $0.forceRefresh = true }
        fabrikam.server.answer(status: 200, "")
        var request = SignOutRequest()
        request.revokesTokens = true
        #expect(try await fabrikam.client.signOut(account, with: request).revocation == .done)
        let posts = fabrikam.server.posts
        // The device code, its tokens, the renewal, the revocation.
        #expect(posts.map { $0.url.split(separator: "/").last } == ["device", "token", "token", "revoke"])
        #expect(posts.map(Self.secret) == (1...4).map { "canary secret-\($0)" })
        #expect(posts.allSatisfy { ($0.headers["authorization"] != nil) == isHeader })
        #expect(rotating.asked == 4)
    }

    @Test func `the code of a browser is redeemed with the secret, which no page sees`() async throws {
        let rotating = Rotating()
        let contoso = try Contoso { $0.credential = .secret { try rotating.next() } }
        let browser = FakeBrowser()
        browser.answer { [redirect(.query, ["code": "c", "state": $0["state"] ?? ""])] }
        contoso.answerSignIn(in: browser)
        _ = try await contoso.client(browser).acquireToken(InteractiveRequest(scopes: ["User.Read"]))
        let post = try #require(contoso.server.posts.first)
        #expect(post.form["grant_type"] == "authorization_code")
        #expect(try #require(Self.secret(post)).hasPrefix("canary secret-"))
        #expect(!browser.authorizationURL.contains("canary"))
    }

    @Test func `without a secret no browser opens`() async throws {
        let contoso = try Contoso { $0.credential = .secret { throw TokenCacheError(.unsafePermissions) } }
        let browser = FakeBrowser()
        let client = try contoso.client(browser)
        let error = await #expect(throws: AcquisitionError.self) {
            try await client.acquireToken(InteractiveRequest(scopes: ["User.Read"]))
        }
        #expect(error?.code == .configurationRejected && error?.cacheError?.code == .unsafePermissions)
        #expect(browser.opened.isEmpty && contoso.server.posts.isEmpty)
    }

    @Test func `the revocation endpoint's own methods count there`() async throws {
        let fabrikam = try Fabrikam([
            "token_endpoint_auth_methods_supported": ["client_secret_basic"],
            "revocation_endpoint_auth_methods_supported": ["client_secret_post"],
        ]) { $0.credential = .secret { try ClientSecret("s") } }
        let account = try await fabrikam.account(granted: "openid mail")
        fabrikam.server.answer(status: 200, "")
        var request = SignOutRequest()
        request.revokesTokens = true
        #expect(try await fabrikam.client.signOut(account, with: request).revocation == .done)
        #expect(fabrikam.server.posts.map { $0.form["client_secret"] } == [nil, nil, "s"])
    }

    @Test(arguments: ["a b", "a:b", "a+b%20c&d=e", "ä€😀", "\"\\'", String(repeating: "x", count: 16_384)])
    func `a secret arrives as it is, in the header and in the body`(_ secret: String) async throws {
        for method in ["client_secret_basic", "client_secret_post"] {
            let fabrikam = try Fabrikam(["token_endpoint_auth_methods_supported": [method]]) {
                $0.credential = .secret { try ClientSecret(secret) }
            }
            _ = try await fabrikam.account(granted: "openid mail")
            #expect(fabrikam.server.posts.map(Self.secret) == [secret, secret])
        }
    }

    @Test func `a parameter of the request does not replace the secret`() async throws {
        for method in ["client_secret_basic", "client_secret_post"] {
            let fabrikam = try Fabrikam(["token_endpoint_auth_methods_supported": [method]]) {
                $0.credential = .secret { try ClientSecret("right") }
                $0.extraParameters = ["client_secret": "wrong", "client_assertion": "wrong", "other": "kept"]
            }
            _ = try await fabrikam.account(granted: "openid mail")
            let posts = fabrikam.server.posts
            #expect(posts.map(Self.secret) == ["right", "right"])
            #expect(posts.allSatisfy { $0.form["other"] == "kept" && !$0.body.contains("wrong") })
        }
    }

    @Test func `a server that accepts no secret gets none`() async throws {
        let fabrikam = try Fabrikam(["token_endpoint_auth_methods_supported": ["none", "private_key_jwt"]]) {
            $0.credential = .secret { try ClientSecret("canary") }
        }
        let error = await #expect(throws: AcquisitionError.self) { try await fabrikam.account(granted: nil) }
        #expect(error?.code == .grantNotSupported && fabrikam.server.posts.isEmpty)
    }

    @Test func `an assertion is sent as RFC 7523 says, whatever the server lists`() async throws {
        let rotating = Rotating()
        let fabrikam = try Fabrikam(["token_endpoint_auth_methods_supported": ["client_secret_basic"]]) {
            $0.credential = .assertion { try rotating.next() }
        }
        _ = try await fabrikam.account(granted: "openid mail")
        let posts = fabrikam.server.posts
        #expect(posts.map { $0.form["client_assertion"] } == ["canary secret-1", "canary secret-2"])
        let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
        #expect(posts.allSatisfy { $0.form["client_assertion_type"] == type && $0.headers["authorization"] == nil })
    }

    @Test func `another issuer never gets the secret`() async throws {
        let rotating = Rotating()
        let fabrikam = try Fabrikam { $0.credential = .secret { try rotating.next() } }
        let other = "https://id.fabrikam.example/other"
        let members = [
            "issuer": other, "token_endpoint": "\(other)/token", "device_authorization_endpoint": "\(other)/d",
        ]
        fabrikam.server.publish(json(members), at: "\(other)/.well-known/openid-configuration")
        var request = DeviceCodeRequest(scopes: ["mail"])
        request.authority = try .openIDConnect(issuer: other)
        let error = await #expect(throws: AcquisitionError.self) {
            try await fabrikam.client.acquireToken(request) { _ in }
        }
        #expect(error?.code == .configurationRejected)
        #expect(fabrikam.server.posts.isEmpty && rotating.asked == 0)
    }

    @Test func `no user signs in at an issuer that the secret is not for`() async throws {
        let contoso = try Contoso { $0.credential = .secret { try ClientSecret("canary") } }
        let browser = FakeBrowser()
        let other = "https://id.fabrikam.example/other"
        let members = [
            "issuer": other, "token_endpoint": "\(other)/token", "authorization_endpoint": "\(other)/authorize",
        ]
        contoso.server.publish(json(members), at: "\(other)/.well-known/openid-configuration")
        var request = InteractiveRequest(scopes: ["mail"])
        request.authority = try .openIDConnect(issuer: other)
        let error = await #expect(throws: AcquisitionError.self) {
            try await contoso.client(browser).acquireToken(request)
        }
        #expect(error?.code == .configurationRejected && browser.opened.isEmpty)
    }

    @Test func `a renewal without a secret keeps the refresh token, and the error says why`() async throws {
        struct Absent: Error {}
        let isAbsent = Mutex(false)
        let fabrikam = try Fabrikam {
            $0.credential = .secret {
                if isAbsent.withLock({ $0 }) { throw Absent() }
                return try ClientSecret("s")
            }
        }
        let account = try await fabrikam.account(granted: "openid mail")
        isAbsent.withLock { $0 = true }
        let before = fabrikam.server.posts.count
        let error = await #expect(throws: AcquisitionError.self) {
            try await fabrikam.silent(account) { $0.forceRefresh = true }
        }
        #expect(error?.code == .configurationRejected && error?.underlying is Absent)
        #expect(fabrikam.server.posts.count == before)
        isAbsent.withLock { $0 = false }
        fabrikam.server.answer(fabrikam.tokens("2", ["scope": "openid mail"]))
        #expect(try await fabrikam.silent(account) { $0.forceRefresh = true }.source == .renewal)
    }

    @Test func `a revocation that a wrong secret prevented can be repeated with the right one`() async throws {
        let secret = Mutex("wrong")
        let fabrikam = try Fabrikam { $0.credential = .secret { try ClientSecret(secret.withLock { $0 }) } }
        let account = try await fabrikam.account(granted: "openid mail")
        fabrikam.server.answer(status: 401, json(["error": "invalid_client"]))
        var request = SignOutRequest()
        request.revokesTokens = true
        #expect(try await fabrikam.client.signOut(account, with: request).pendingRevocations.count == 1)
        secret.withLock { $0 = "right" }
        fabrikam.server.answer(status: 200, "")
        #expect(try await fabrikam.client.revokePending().map(\.outcome) == [.done])
        #expect(fabrikam.server.posts.last.flatMap(Self.secret) == "right")
    }

    @Test func `nothing that can be printed shows the secret`() async throws {
        let credential = ClientCredential.secret { try ClientSecret("canary") }
        var configuration = ClientConfiguration(clientID: "client")
        configuration.credential = credential
        var text = "\(credential) \(configuration) \(String(reflecting: credential))"
        dump(credential, to: &text)
        dump(configuration, to: &text)
        let fabrikam = try Fabrikam { $0.credential = credential }
        fabrikam.server.answer(status: 401, json(["error": "invalid_client", "error_description": "canary"]))
        let error = await #expect(throws: AcquisitionError.self) { try await fabrikam.account(granted: nil) }
        dump(try #require(error), to: &text)
        #expect(!"\(text) \(String(reflecting: error))".contains("canary"))
        #expect(credential == configuration.credential && credential != .secret { try ClientSecret("canary") })
    }
}
