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
    func `a request to an endpoint that moved is repeated where it is now, and later ones go there`(
        _ status: Int
    ) async throws {
        move()
        fabrikam.server.answer(status: status, "<html>", headers: ["Content-Type": "text/html"])
        answerTokens("2")
        var sent = try await sent {
            let result = try await renew()
            #expect(try result.accessToken.secretString == "at-2" && result.source == .renewal)
        }
        #expect(sent == ([Self.old, Self.new], [Self.metadataURL]))
        let posts = fabrikam.server.posts.suffix(2)
        #expect(posts.first?.form["refresh_token"] == "rt-1" && posts.first?.form == posts.last?.form)
        answerTokens("3")
        sent = try await self.sent { _ = try await renew() }
        #expect(sent == ([Self.new], []))
    }

    @Test(arguments: [true, false])
    func `an endpoint that is not there is asked once, and so is the metadata`(_ hasMoved: Bool) async throws {
        if hasMoved { move() }
        let sent = try await sent {
            let error = await #expect(throws: AcquisitionError.self) { try await renew() }
            #expect(error?.code == .serverUnavailable && error?.errorResponse?.status == 404)
        }
        #expect(sent == (hasMoved ? [Self.old, Self.new] : [Self.old], [Self.metadataURL]))
        // The refresh token stays.
        answerTokens("2")
        #expect(try await renew().source == .renewal)
    }

    @Test func `an endpoint that answers 404 with an error of OAuth is there, and nothing is repeated`() async throws {
        move()
        fabrikam.server.answer(status: 404, #"{"error":"invalid_client"}"#)
        let sent = try await sent {
            await #expect(throws: AcquisitionError.self) { try await renew() }
        }
        #expect(sent == ([Self.old], []))
    }

    @Test func `metadata that names an endpoint that is not there is forgotten`() async throws {
        move(["issuer": "https://id.fabrikam.example/other"])
        for _ in 0..<2 {
            await #expect(throws: AcquisitionError.self) { try await renew() }
        }
        #expect(fabrikam.server.posts.filter { $0.form["grant_type"] == "refresh_token" }.map(\.url) == [Self.old])
    }

    @Test(arguments: [("/v2/revoke", SignOutReport.Outcome.done), (nil, nil)] as [(String?, SignOutReport.Outcome?)])
    func `a token is revoked where the endpoint for that is now, and pending if it is nowhere`(
        _ path: String?,
        _ outcome: SignOutReport.Outcome?
    ) async throws {
        move(["revocation_endpoint": path.map { Fabrikam.issuer + $0 } ?? NSNullMember.value])
        // Only the answer to the first request for the OAuth metadata is in between.
        for status in path == nil ? [404, 404] : [404, 200] { fabrikam.server.answer(status: status, "") }
        var request = SignOutRequest()
        request.revokesTokens = true
        let report = try await fabrikam.client.signOut(account, with: request)
        #expect(outcome == nil ? report.revocation != .done : report.revocation == outcome)
        #expect(report.pendingRevocations.count == (outcome == nil ? 1 : 0))
        #expect(fabrikam.server.posts.last?.url == Fabrikam.issuer + (path ?? "/revoke"))
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
