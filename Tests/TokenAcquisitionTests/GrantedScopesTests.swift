// SPDX-License-Identifier: Apache-2.0

import Testing
import TokenCaching

@testable import TokenAcquisition

/// Which scopes a renewal requests: a server may refuse one that was not granted (RFC 6749, section 6).
@Suite struct GrantedScopesTests {
    private func scopesOfRenewal(_ fabrikam: Fabrikam, _ account: Account, _ wanted: [String]) async throws -> String? {
        let before = fabrikam.server.posts.count
        fabrikam.server.answer(fabrikam.tokens("2", ["scope": wanted.joined(separator: " ")]))
        _ = try await fabrikam.silent(account, scopes: wanted) { $0.forceRefresh = true }
        let posts = fabrikam.server.posts.dropFirst(before)
        #expect(posts.count == 1 && posts.first?.form["grant_type"] == "refresh_token")
        return posts.first?.form["scope"]
    }

    /// The granted scopes (nil if the server does not name them), the wanted ones, and those of the renewal.
    static let grants: [(granted: String?, wanted: [String], asked: String)] = [
        ("openid mail", ["mail"], "openid mail"),
        ("mail", ["mail"], "mail"),
        ("openid profile email mail files offline_access", ["mail"], "openid mail offline_access"),
        ("openid Mail", ["mail"], "openid Mail"),
        ("openid mail", ["mail", "profile"], "openid mail"),
        ("openid mail profile", ["mail", "profile"], "openid mail profile"),
        (nil, ["mail"], "mail openid offline_access"),
    ]

    @Test(arguments: grants.indices) func `a renewal asks for the wanted scopes that were granted`(
        _ index: Int
    ) async throws {
        let (granted, wanted, asked) = Self.grants[index]
        let fabrikam = try Fabrikam()
        let account = try await fabrikam.account(scopes: ["mail"], granted: granted)
        #expect(try await scopesOfRenewal(fabrikam, account, wanted) == asked)
    }

    @Test func `the grant outlives a renewal for less`() async throws {
        let fabrikam = try Fabrikam()
        let account = try await fabrikam.account(scopes: ["mail", "files"], granted: "openid mail files")
        #expect(try await scopesOfRenewal(fabrikam, account, ["mail"]) == "openid mail")
        #expect(try await scopesOfRenewal(fabrikam, account, ["files"]) == "openid files")
    }

    @Test func `scopes that were not granted need the user, and no request is sent`() async throws {
        let fabrikam = try Fabrikam()
        let account = try await fabrikam.account(scopes: ["mail", "files"], granted: "openid mail")
        let before = fabrikam.server.posts.count
        fabrikam.clock.advance(by: 4000)
        let error = await #expect(throws: AcquisitionError.self) {
            try await fabrikam.silent(account, scopes: ["mail", "files"])
        }
        #expect(error?.code == .interactionRequired && error?.reason == .scopesNotGranted)
        #expect(error?.declinedScopes == ["files"])
        #expect(fabrikam.server.posts.count == before)
    }

    @Test func `where the grant is unknown, a renewal names no scope`() async throws {
        let fabrikam = try Fabrikam()
        fabrikam.server.answer(fabrikam.tokens("0", ["scope": "mail"]))
        let migrated = try await fabrikam.client.acquireToken(
            MigrationRequest(scopes: ["mail"]),
            redeeming: "rt of another library"
        )
        #expect(fabrikam.server.posts.last?.form["scope"] == nil)
        let account = try #require(try await migrated.account())
        // A renewal that does not say which token it redeemed.
        let request = TokenRequest(
            environment: "id.fabrikam.example",
            tenant: "realm",
            scopes: ["mail"],
            grant: .renewal,
            accountID: account.id
        )
        try await fabrikam.cache.save(TokenResponse(json: Array(fabrikam.tokens("1").utf8)), for: request)
        #expect(try await scopesOfRenewal(fabrikam, account, ["mail"]) == nil)
        #expect(fabrikam.server.posts.last?.form["refresh_token"] == "rt-1")
    }

    @Test func `Microsoft's servers are asked for what is wanted, whatever was granted`() async throws {
        let contoso = try Contoso()
        let account = try contoso.signIn("1", ["scope": "User.Read"])
        contoso.server.answer(contoso.tokens("2", ["scope": "Mail.Read"]))
        _ = try await contoso.silent(account, scopes: ["Mail.Read"])
        #expect(contoso.server.posts.last?.form["scope"] == "Mail.Read openid profile offline_access")
    }

    @Test func `what a sign-in adds to the scopes can be changed`() async throws {
        let fabrikam = try Fabrikam { $0.addedScopes = ["openid"] }
        _ = try await fabrikam.account(granted: "openid mail")
        #expect(fabrikam.server.posts.first?.form["scope"] == "mail openid")
    }

    @Test func `of the added scopes, a server that lists its scopes is asked for the listed ones`() async throws {
        let fabrikam = try Fabrikam(["scopes_supported": ["openid", "mail", "offline_access"]])
        _ = try await fabrikam.account(granted: "openid mail")
        #expect(fabrikam.server.posts.first?.form["scope"] == "mail openid offline_access")
    }

    @Test func `a sign-in without openid is refused before any request, with the reason`() async throws {
        let fabrikam = try Fabrikam { $0.addedScopes = [] }
        let error = await #expect(throws: AcquisitionError.self) {
            try await fabrikam.signIn(fabrikam.tokens("1"))
        }
        #expect(error?.code == .requestRejected)
        #expect(error?.description.contains("openid") == true)
        #expect(fabrikam.server.posts.isEmpty)
    }
}
