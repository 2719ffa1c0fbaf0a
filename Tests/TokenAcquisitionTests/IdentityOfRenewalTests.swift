// SPDX-License-Identifier: Apache-2.0

import Testing
import TokenCaching

@testable import TokenAcquisition

/// Whose tokens a renewal was answered with.
@Suite struct IdentityOfRenewalTests {
    /// Of a failed renewal, nothing may be stored, and the refresh token may not be sent again.
    private func expectMismatch(
        _ fabrikam: Fabrikam,
        _ account: Account,
        claims: [String: (any Sendable)?]
    ) async throws {
        fabrikam.clock.advance(by: 4000)
        fabrikam.server.answer(fabrikam.tokens("2", claims: claims))
        for isNoted in [false, true] {
            let error = await #expect(throws: AcquisitionError.self) { try await fabrikam.silent(account) }
            #expect(error?.code == .accountMismatch && error?.result == nil)
            #expect(error?.detail?.contains("earlier request") ?? false == isNoted, "\(error?.detail ?? "")")
        }
        #expect(fabrikam.server.posts.filter { $0.form["grant_type"] == "refresh_token" }.count == 1)
        #expect(
            try await fabrikam.cache.accounts(matching: AccountFilter(includesSignedOut: true)).map(\.id) == [
                account.id
            ]
        )
        #expect(try await fabrikam.cache.currentAccount().current?.id == account.id)
    }

    @Test func `tokens of another subject are neither stored nor handed out, and the refresh token is not sent again`()
        async throws
    {
        let fabrikam = try Fabrikam()
        let account = try await fabrikam.account(granted: nil)
        try await expectMismatch(fabrikam, account, claims: ["sub": "mallory"])
    }

    @Test(arguments: ["\(Fabrikam.issuer)/", "https://id.fabrikam.example/Realm", "https://id.fabrikam.example", "ada"])
    func `a subject at another issuer is another account, also if a slash or a letter's case differs`(
        _ issuer: String
    ) async throws {
        let fabrikam = try Fabrikam()
        let account = try await fabrikam.account(granted: nil)
        try await expectMismatch(fabrikam, account, claims: ["iss": issuer])
    }

    @Test func `without an id token, the account is that of the redeemed token`() async throws {
        let fabrikam = try Fabrikam()
        let account = try await fabrikam.account(granted: nil)
        fabrikam.clock.advance(by: 4000)
        fabrikam.server.answer(fabrikam.tokens("2", ["id_token": nil]))
        #expect(try await fabrikam.silent(account).account()?.id == account.id)
    }

    @Test func `at Entra the subject differs for each client, tenant and version, and identifies nobody`() async throws
    {
        let contoso = try Contoso()
        let account = try contoso.signIn()
        let guest = "aaaaaaaa-86f1-41af-91ab-2d7cd011db47"
        contoso.publish(tenant: guest)
        let authority = try Authority.entra(tenant: guest)
        let claims: [[String: Any]] = [
            ["sub": "of another client"],
            ["sub": "of a guest", "tid": guest, "iss": "\(Contoso.host)/\(guest)/v2.0"],
            ["sub": "of version 1", "iss": "https://sts.windows.net/\(Contoso.tenant)/"],
        ]
        for (index, claims) in claims.enumerated() {
            contoso.clock.advance(by: 4000)
            contoso.server.answer(contoso.tokens("\(index + 2)", claims: claims))
            let result = try await contoso.silent(account) { if index == 1 { $0.authority = authority } }
            #expect(try result.accessToken.secretString == "at-\(index + 2)")
            #expect(try await result.account()?.id == account.id)
        }
    }

    @Test func `at Entra another client_info is another account, of which nothing is stored`() async throws {
        let contoso = try Contoso()
        let account = try contoso.signIn()
        contoso.clock.advance(by: 4000)
        let info = base64URL(json(["uid": "someone-else", "utid": Contoso.tenant]))
        contoso.server.answer(contoso.tokens("2", ["client_info": info]))
        for _ in 0..<2 { #expect(await contoso.failure(account)?.code == .accountMismatch) }
        #expect(contoso.server.posts.count == 1)
        #expect(
            try await contoso.cache.accounts(matching: AccountFilter(includesSignedOut: true)).map(\.id) == [account.id]
        )
    }

    @Test func `a family's token that a second client redeems is of the same account`() async throws {
        let contoso = try Contoso()
        let account = try contoso.signIn("1", ["foci": "1"])
        contoso.clock.advance(by: 4000)
        // The subject is the second client's.
        contoso.server.answer(contoso.tokens("2", ["foci": "1"], claims: ["sub": "pairwise"]))
        let result = try await contoso.silent(account)
        #expect(try await result.account()?.id == account.id)
    }
}
