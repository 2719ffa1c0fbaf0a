// SPDX-License-Identifier: Apache-2.0

import Testing
import TokenCaching

@testable import TokenAcquisition

/// Refresh tokens that a sign-out removed and could not revoke.
@Suite struct PendingRevocationTests {
    private static let failure = TransportError(.connectionFailed, mayHaveBeenSent: false)

    private let contoso: Contoso
    private let asking: SignOutRequest

    init() throws {
        contoso = try Contoso()
        contoso.publish(tenant: Contoso.tenant, ["revocation_endpoint": SignOutTests.revocation])
        var request = SignOutRequest()
        request.revokesTokens = true
        asking = request
    }

    /// Signs in and out while the server does not respond.
    @discardableResult
    private func keep(_ suffix: String = "1", of client: PublicClient? = nil) async throws -> (Account, SignOutReport) {
        let account = try contoso.signIn(suffix)
        contoso.server.answer(failure: Self.failure)
        return (account, try await contoso.client.signOut(account, with: asking))
    }

    /// The tokens that the server was asked to revoke.
    private var sent: [String] {
        contoso.server.posts.filter { $0.url == SignOutTests.revocation }.compactMap { $0.form["token"] }
    }

    private func pending() async throws -> [PendingRevocation] {
        try await contoso.cache.pendingTokens(of: nil).map(\.revocation)
    }

    @Test func `a token that could not be revoked is kept for a day, and nothing returns or lists it`() async throws {
        let (account, report) = try await keep()
        guard case .failed(let error) = report.revocation else {
            Issue.record("\(report.revocation)")
            return
        }
        #expect(error.code == .networkFailed)
        let kept = try #require(report.pendingRevocations.first)
        #expect(report.pendingRevocations.count == 1 && report.discardedRevocationCount == 0)
        #expect(kept.clientID == Contoso.clientID && kept.accountID == account.id && kept.hasHomeAccountID)
        #expect(kept.authority == "\(Contoso.host)/\(Contoso.tenant)")
        #expect(kept.environment == account.environment)
        #expect(kept.keptOn.secondsSince1970 == contoso.clock.now)
        #expect(kept.expiresOn.secondsSince1970 == contoso.clock.now + 86_400)
        #expect(try await contoso.client.accounts().isEmpty)
        let failure = await contoso.failure(account)
        #expect(failure?.code == .interactionRequired && failure?.reason == .signedOut)
        for text in ["\(kept)", "\(report)", String(reflecting: kept)] {
            #expect(!text.contains("rt-1") && !text.contains(account.id.text))
        }
    }

    @Test func `signing out again revokes what was kept, and keeps it no longer`() async throws {
        let (account, _) = try await keep()
        contoso.server.answer(status: 200, "")
        let report = try await contoso.client.signOut(account, with: asking)
        #expect(report.revocation == .done && report.pendingRevocations.isEmpty)
        #expect(sent == ["rt-1", "rt-1"])
        #expect(try await contoso.client.signOut(account, with: asking).revocation == .nothingToDo)
    }

    @Test func `of several refresh tokens it is counted how many were revoked`() async throws {
        try await keep()
        let account = try contoso.signIn("2")
        for status in [503, 200] { contoso.server.answer(status: status, "") }
        let report = try await contoso.client.signOut(account, with: asking)
        #expect(report.revokedCount == 1 && report.unrevokedCount == 1 && report.pendingRevocations.count == 1)
    }

    @Test func `all that is pending can be repeated, with an outcome for each`() async throws {
        try await keep()
        try await keep("2")
        contoso.server.answer(status: 200, "")
        contoso.server.answer(status: 503, "")
        let reports = try await contoso.client.revokePending()
        #expect(reports.map(\.isPending) == [false, true])
        #expect(reports.first?.outcome == .done)
        #expect(try await pending() == reports.filter(\.isPending).map(\.revocation))
        #expect(Set(sent.suffix(2)) == ["rt-1", "rt-2"])
        contoso.server.answer(status: 200, "")
        #expect(try await contoso.client.revokePending().map(\.isPending) == [false])
        #expect(try await contoso.client.revokePending().isEmpty)
    }

    @Test func `a server that does not respond is asked once, however much is pending`() async throws {
        for suffix in ["1", "2", "3"] { try await keep(suffix) }
        let before = sent.count
        contoso.server.answer(failure: Self.failure)
        #expect(try await contoso.client.revokePending().map(\.isPending) == [true, true, true])
        #expect(sent.count == before + 1)
    }

    @Test(arguments: [
        (503, "", true), (429, "", true), (404, "<html>", true), (400, "{\"error\":\"temporarily_unavailable\"}", true),
        (404, "{\"error\":\"not_found\"}", true), (302, "", true), (503, "{\"error\":\"invalid_request\"}", true),
        (400, "{\"error\":\"unsupported_token_type\"}", false), (401, "{\"error\":\"invalid_client\"}", true),
        (400, "{\"error\":\"invalid_request\"}", false), (400, "{\"error\":\"unauthorized_client\"}", false),
        (400, "{\"error\":\"invalid_token\"}", false),
    ])
    func `a token is kept if the server may revoke it later, and not if it refuses`(
        _ status: Int,
        _ body: String,
        _ isKept: Bool
    ) async throws {
        let account = try contoso.signIn()
        contoso.server.answer(status: status, body)
        let report = try await contoso.client.signOut(account, with: asking)
        #expect(report.revocation != .done)
        #expect((report.revocation == .notSupported) == body.contains("unsupported"))
        #expect(report.pendingRevocations.count == (isKept ? 1 : 0))
        #expect(try await pending() == report.pendingRevocations)
    }

    @Test func `a token is not kept if its authority has no endpoint to revoke it`() async throws {
        contoso.publish(tenant: Contoso.tenant)
        let account = try contoso.signIn()
        let report = try await contoso.client.signOut(account, with: asking)
        #expect(report.revocation == .notSupported && report.pendingRevocations.isEmpty)
    }

    @Test func `a token is kept while the server's metadata disagrees on where to revoke it`() async throws {
        let fabrikam = try Fabrikam(["revocation_endpoint": NSNullMember.value])
        let account = try await fabrikam.account(granted: "mail")
        func publish(tokenEndpoint: String) {
            let document = [
                "issuer": Fabrikam.issuer, "token_endpoint": tokenEndpoint,
                "revocation_endpoint": "\(Fabrikam.issuer)/revoke",
            ]
            let url = "https://id.fabrikam.example/.well-known/oauth-authorization-server/realm"
            fabrikam.server.publish(json(document), at: url)
        }
        publish(tokenEndpoint: "\(Fabrikam.issuer)/other")
        let report = try await fabrikam.client.signOut(account, with: asking)
        guard case .failed(let error) = report.revocation else {
            Issue.record("\(report.revocation)")
            return
        }
        #expect(error.code == .responseRejected && error.detail?.contains("different token endpoints") == true)
        #expect(report.pendingRevocations.count == 1)
        publish(tokenEndpoint: "\(Fabrikam.issuer)/token")
        fabrikam.server.answer(status: 200, "")
        #expect(try await fabrikam.client.revokePending().map(\.outcome) == [.done])
        #expect(fabrikam.server.posts.last?.form["token"] == "rt-1")
    }

    @Test func `an endpoint on another host gets no token that was kept`() async throws {
        let address = "\(Contoso.host)/\(Contoso.tenant)/v2.0/.well-known/openid-configuration"
        contoso.server.publish("{}", at: address)
        let account = try contoso.signIn()
        #expect(try await contoso.client.signOut(account, with: asking).pendingRevocations.count == 1)
        contoso.publish(tenant: Contoso.tenant, ["revocation_endpoint": "https://evil.example/revoke"])
        let report = try #require(try await contoso.client.revokePending().first)
        guard case .failed(let error) = report.outcome else {
            Issue.record("\(report.outcome)")
            return
        }
        #expect(error.code == .authorityRejected && report.isPending)
        #expect(contoso.server.posts.isEmpty)
    }

    @Test func `a sign-out that does not revoke keeps nothing`() async throws {
        let account = try contoso.signIn()
        #expect(try await contoso.client.signOut(account).pendingRevocations.isEmpty)
        #expect(try await pending().isEmpty)
    }

    @Test func `a token is kept in the transaction that removes it, before anything is sent`() async throws {
        let account = try contoso.signIn()
        let cache = contoso.cache
        contoso.server.answer { _ throws(TransportError) in
            let kept = try? await cache.pendingTokens(of: nil).count
            let left = try? cache.accounts().count
            return TransportResponse(status: kept == 1 && left == 0 ? 200 : 500)
        }
        #expect(try await contoso.client.signOut(account, with: asking).revocation == .done)
    }

    @Test(arguments: [(86_399, 1), (86_400, 0), (-86_399, 1), (-86_400, 0)])
    func `after a day a token is not sent any more, also if the clock was set back`(
        _ seconds: Int64,
        _ count: Int
    ) async throws {
        try await keep()
        contoso.clock.advance(by: seconds)
        let before = sent.count
        contoso.server.answer(status: 200, "")
        #expect(try await contoso.client.revokePending().count == count)
        #expect(sent.count == before + count)
    }

    @Test(arguments: ["a sign-in", "a sign-out"])
    func `what expired is removed by the next change`(_ change: String) async throws {
        let (account, _) = try await keep()
        contoso.clock.advance(by: 86_400)
        switch change {
        case "a sign-in": try contoso.signIn("2")
        default: try await contoso.cache.signOut(account)
        }
        // It would count again if it were still there.
        contoso.clock.advance(by: -86_400)
        #expect(try await pending().isEmpty)
    }

    @Test func `sixteen are kept, and a further one replaces the oldest, which is said`() async throws {
        for number in 1...16 {
            #expect(try await keep("\(number)").1.discardedRevocationCount == 0)
            contoso.clock.advance(by: 1)
        }
        let oldest = try #require(try await pending().first)
        #expect(try await keep("17").1.discardedRevocationCount == 1)
        let kept = try await pending()
        #expect(kept.count == 16 && !kept.contains(oldest))
        for _ in kept { contoso.server.answer(status: 200, "") }
        let before = sent.count
        _ = try await contoso.client.revokePending()
        #expect(Set(sent.dropFirst(before)) == Set((2...17).map { "rt-\($0)" }))
    }

    @Test(arguments: ["wipe", "wipe by id", "clear", "forget", "wiping sign-out"])
    func `what is pending goes with the account, the group, or on request`(_ removal: String) async throws {
        let (account, _) = try await keep()
        switch removal {
        case "wipe": try await contoso.cache.wipe(account)
        case "wipe by id": try await contoso.cache.wipe(accountID: account.id)
        case "clear": try await contoso.cache.clearAll()
        case "forget": #expect(try await contoso.cache.forgetRevocations(accountID: account.id) == 1)
        default:
            var request = SignOutRequest()
            request.wipesAccount = true
            try await contoso.client.signOut(account, with: request)
        }
        #expect(try await pending().isEmpty)
        #expect(try await contoso.cache.forgetRevocations(accountID: account.id) == 0)
        #expect(try await contoso.client.revokePending().isEmpty)
        #expect(sent == ["rt-1"])
    }

    @Test func `a wipe that revokes keeps what it could not revoke`() async throws {
        try await keep()
        let account = try contoso.signIn("2")
        contoso.server.answer(failure: Self.failure)
        var request = asking
        request.wipesAccount = true
        let report = try await contoso.client.signOut(account, with: request)
        #expect(report.pendingRevocations.count == 1)
        contoso.server.answer(status: 200, "")
        _ = try await contoso.client.revokePending()
        #expect(sent.last == "rt-2")
    }

    @Test func `another account's is neither sent nor forgotten with it`() async throws {
        try await keep()
        let other = Account(id: "other.tenant", isSignedIn: false)
        #expect(try await contoso.cache.forgetRevocations(accountID: other.id) == 0)
        #expect(try await contoso.client.revokePending(of: other.id).isEmpty)
        #expect(try await contoso.client.signOut(other, with: asking).revocation == .nothingToDo)
        #expect(try await pending().count == 1)
    }
}
