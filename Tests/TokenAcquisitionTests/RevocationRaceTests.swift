// SPDX-License-Identifier: Apache-2.0

import Testing
import TokenCaching

@testable import TokenAcquisition

/// A user signs out while another caller renews.
@Suite struct RevocationRaceTests {
    private func contoso() throws -> (Contoso, Account) {
        let contoso = try Contoso()
        contoso.publish(tenant: Contoso.tenant, ["revocation_endpoint": SignOutTests.revocation])
        let account = try contoso.signIn()
        contoso.clock.advance(by: 4000)
        return (contoso, account)
    }

    @Test func `a sign-out waits for a renewal in progress, and revokes its refresh token`() async throws {
        let (contoso, account) = try contoso()
        let (gate, tokens) = (Gate(), contoso.tokens("2"))
        contoso.server.answer { _ throws(TransportError) in
            await gate.wait()
            return TransportResponse(status: 200, body: Array(tokens.utf8))
        }
        contoso.server.answer(status: 200, "")
        let renewal = Task { try await contoso.silent(account) }
        while contoso.server.posts.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
        let signOut = Task {
            var request = SignOutRequest()
            request.revokesTokens = true
            return try await contoso.client.signOut(account, with: request)
        }
        try await Task.sleep(for: .milliseconds(100))
        #expect(contoso.server.posts.count == 1)
        gate.open()
        #expect(try await signOut.value.revocation == .done)
        _ = await renewal.result
        #expect(contoso.server.posts.map(\.url).last == SignOutTests.revocation)
        #expect(contoso.server.posts.last?.form["token"] == "rt-2")
        #expect(await contoso.failure(account)?.reason == .signedOut)
    }

    @Test(arguments: [(true, 200, 0), (true, 503, 1), (false, 200, 0)])
    func `a renewal that outlasts a sign-out revokes the refresh token that it may not store, if it is to be revoked`(
        _ revokes: Bool,
        _ status: Int,
        _ pendingCount: Int
    ) async throws {
        let (contoso, account) = try contoso()
        let (gate, tokens) = (Gate(), contoso.tokens("2"))
        contoso.server.answer { _ throws(TransportError) in
            await gate.wait()
            return TransportResponse(status: 200, body: Array(tokens.utf8))
        }
        for status in [200, status] { contoso.server.answer(status: status, "") }
        let renewal = Task { await contoso.failure(account) }
        while contoso.server.posts.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
        var request = SignOutRequest()
        request.revokesTokens = revokes
        request.timeout = .milliseconds(200)
        let report = try await contoso.client.signOut(account, with: request)
        #expect(report.pendingRevocations.count == (revokes ? 1 : 0))
        let isRepeated = revokes && status == 200
        if isRepeated {
            // The next refresh token is valid, so this is not done.
            let again = try await contoso.client.revokePending()
            #expect(again.map(\.outcome) == [.failed(AcquisitionError(.renewalBusy))] && again.allSatisfy(\.isPending))
            contoso.server.answer(status: status, "")
        }
        gate.open()
        let failure = await renewal.value
        #expect(failure?.reason == .signedOut)
        #expect(failure?.detail?.contains(status == 200 ? "was revoked" : "not be revoked") == (revokes ? true : nil))
        let sent = contoso.server.posts.filter { $0.url == SignOutTests.revocation }.compactMap { $0.form["token"] }
        #expect(sent == (revokes ? ["rt-1"] + (isRepeated ? ["rt-1"] : []) + ["rt-2"] : []))
        contoso.server.answer(status: 200, "")
        #expect(try await contoso.client.revokePending().map(\.outcome) == Array(repeating: .done, count: pendingCount))
        #expect(pendingCount == 0 || contoso.server.posts.last?.form["token"] == "rt-2")
    }

    @Test func `a renewal that does not end in time is said, and the account is signed out all the same`() async throws
    {
        let (contoso, account) = try contoso()
        let gate = Gate()
        contoso.server.answer { _ throws(TransportError) in
            await gate.wait()
            return TransportResponse(status: 503)
        }
        contoso.server.answer(status: 200, "")
        let renewal = Task { try await contoso.silent(account) }
        while contoso.server.posts.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
        var request = SignOutRequest()
        request.revokesTokens = true
        request.timeout = .seconds(1)
        let report = try await contoso.client.signOut(account, with: request)
        guard case .failed(let error) = report.revocation else {
            Issue.record("\(report.revocation)")
            return
        }
        #expect(error.code == .renewalBusy)
        #expect(try await contoso.client.accounts().isEmpty)
        gate.open()
        _ = await renewal.result
    }
}
