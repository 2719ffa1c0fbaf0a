// SPDX-License-Identifier: Apache-2.0

import Testing
import TokenCaching

@testable import TokenAcquisition

/// Endpoints that a server moves while its metadata is kept.
@Suite struct MovedEndpointTests {
    static let metadataURL = "\(Fabrikam.issuer)/.well-known/openid-configuration"
    static let (old, new) = ("\(Fabrikam.issuer)/token", "\(Fabrikam.issuer)/v2/token")

    let secrets = ClientCredentialTests.Rotating()
    let fabrikam: Fabrikam
    let account: Account

    init() async throws {
        let secrets = secrets
        fabrikam = try Fabrikam(["token_endpoint_auth_methods_supported": ["client_secret_post"]]) {
            $0.credential = .secret { try secrets.next() }
        }
        account = try await fabrikam.account(granted: "openid mail")
    }

    private func move(_ changes: [String: Any] = ["token_endpoint": new]) {
        let members: [String: Any] = [
            "issuer": Fabrikam.issuer, "token_endpoint": Self.old, "revocation_endpoint": "\(Fabrikam.issuer)/revoke",
        ]
        fabrikam.server.publish(json(members.merging(changes) { $1 }), at: Self.metadataURL)
    }

    private func renew() async throws -> AuthenticationResult {
        var request = SilentRequest(scopes: ["mail"], account: account)
        request.forceRefresh = true
        return try await fabrikam.client.acquireTokenSilent(request)
    }

    private func answerTokens(_ suffix: String) {
        fabrikam.server.answer(fabrikam.tokens(suffix, ["scope": "openid mail"]))
    }

    /// The URLs of the requests that `call` makes.
    private func sent(_ call: () async throws -> Void) async throws -> (posts: [String], gets: [String]) {
        let (posts, gets) = (fabrikam.server.posts.count, fabrikam.server.gets.count)
        try await call()
        return (
            fabrikam.server.posts.dropFirst(posts).map(\.url), fabrikam.server.gets.dropFirst(gets).map(\.url)
        )
    }

    @Test(arguments: [404, 405, 410])
    func `a request to an endpoint that moved fails, and later ones go where it is now`(_ status: Int) async throws {
        move()
        fabrikam.server.answer(status: status, "<html>", headers: ["Content-Type": "text/html"])
        var sent = try await sent {
            let error = await #expect(throws: AcquisitionError.self) { try await renew() }
            #expect(error?.code == .serverUnavailable && error?.errorResponse?.status == status)
        }
        #expect(sent == ([Self.old], []))
        answerTokens("2")
        sent = try await self.sent {
            let result = try await renew()
            #expect(try result.accessToken.secretString == "at-2" && result.source == .renewal)
        }
        #expect(sent == ([Self.new], [Self.metadataURL]))
        let posts = fabrikam.server.posts.suffix(2)
        #expect(posts.first?.form["refresh_token"] == "rt-1" && posts.last?.form["refresh_token"] == "rt-1")
        answerTokens("3")
        sent = try await self.sent { _ = try await renew() }
        #expect(sent == ([Self.new], []))
    }

    @Test func `an endpoint that answers 404 with an error of OAuth is there`() async throws {
        move()
        fabrikam.server.answer(status: 404, #"{"error":"invalid_client"}"#)
        fabrikam.server.answer(status: 404, #"{"error":"invalid_client"}"#)
        let sent = try await sent {
            for _ in 0..<2 { await #expect(throws: AcquisitionError.self) { try await renew() } }
        }
        #expect(sent == ([Self.old, Self.old], []))
    }

    @Test func `a token whose revocation endpoint moved is pending, and revoked where that is now`() async throws {
        move(["revocation_endpoint": "\(Fabrikam.issuer)/v2/revoke"])
        fabrikam.server.answer(status: 404, "")
        var request = SignOutRequest()
        request.revokesTokens = true
        let report = try await fabrikam.client.signOut(account, with: request)
        #expect(report.revocation != .done && report.pendingRevocations.count == 1)
        fabrikam.server.answer("")
        #expect(try await fabrikam.client.revokePending().map(\.outcome) == [.done])
        #expect(fabrikam.server.posts.suffix(2).map(\.url) == ["/revoke", "/v2/revoke"].map { Fabrikam.issuer + $0 })
    }

    @Test func `endpoints that the application names are not looked up`() async throws {
        let endpoints = Authority.Endpoints(
            token: "https://api.example/token",
            authorization: nil,
            deviceAuthorization: "https://example.org/device"
        )
        let authority = try Authority.oauth(url: "https://example.org/", endpoints: endpoints)
        let fabrikam = try Fabrikam { $0.authority = authority }
        var request = DeviceCodeRequest(scopes: ["mail"])
        request.accountID = Account.ID("octocat")
        let error = await #expect(throws: AcquisitionError.self) {
            try await fabrikam.client.acquireToken(request) { _ in }
        }
        #expect(error?.errorResponse?.status == 404)
        #expect(fabrikam.server.posts.count == 1 && fabrikam.server.gets.isEmpty)
    }
}
