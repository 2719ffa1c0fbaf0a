// SPDX-License-Identifier: Apache-2.0

import Testing
import TokenCaching

@testable import TokenAcquisition

/// Callers that are cancelled, or whose time is over, while a server has the refresh token.
@Suite struct AbandonedRenewalTests {
    let contoso: Contoso
    let account: Account
    let gate = Gate()

    init() throws {
        contoso = try Contoso()
        account = try contoso.signIn()
        contoso.clock.advance(by: 4000)
    }

    /// The server answers the next request when the gate is open.
    private func holdAnswer() {
        let (gate, tokens) = (gate, contoso.tokens("2"))
        contoso.server.answer { _ throws(TransportError) in
            await gate.wait()
            guard !Task.isCancelled else { throw TransportError(.cancelled, mayHaveBeenSent: true) }
            return TransportResponse(status: 200, body: Array(tokens.utf8))
        }
    }

    private func clientWhoseMetadata(waitsFor gate: Gate) throws -> PublicClient {
        try PublicClient(
            contoso.client.configuration,
            cache: contoso.cache,
            services: Services(
                transport: HeldMetadata(gate: gate, next: contoso.server),
                clock: contoso.clock.wallClock
            )
        )
    }

    private func untilSent() async throws {
        while contoso.server.posts.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
    }

    /// The code of a request that was cancelled after its refresh token was sent.
    private func cancelledAfterSending() async throws -> AcquisitionError.Code? {
        let (contoso, account) = (contoso, account)
        let caller = Task { await contoso.failure(account)?.code }
        try await untilSent()
        caller.cancel()
        return await caller.value
    }

    @Test func `a cancelled caller returns at once, and what the server answers is saved`() async throws {
        holdAnswer()
        #expect(try await cancelledAfterSending() == .cancelled)
        gate.open()
        let result = try await contoso.silent(account)
        #expect(try result.accessToken.secretString == "at-2")
        #expect(contoso.server.posts.count == 1)
    }

    @Test func `a caller whose time is over returns, and what the server answers is saved`() async throws {
        holdAnswer()
        // Long enough for the request to be sent on a busy machine.
        let error = await contoso.failure(account) { $0.timeout = .seconds(4) }
        #expect(error?.code == .timeout)
        #expect(error?.correlationID != nil)
        gate.open()
        #expect(try await contoso.silent(account).accessToken.secretString == "at-2")
        #expect(contoso.server.posts.count == 1)
    }

    @Test func `closing waits for the answer to a refresh token that was sent`() async throws {
        holdAnswer()
        #expect(try await cancelledAfterSending() == .cancelled)
        let (client, gate) = (contoso.client, gate)
        let opening = Task {
            try await Task.sleep(for: .milliseconds(100))
            gate.open()
        }
        await client.close()
        try await opening.value
        // No wait, no request: it is saved.
        let query = try PreparedSilentRequest(request, of: contoso.client).query
        #expect(try await contoso.cache.token(for: query).validToken != nil)
    }

    @Test func `closing waits for the answer that a caller waits for, or just gave up, and the caller is answered`()
        async throws
    {
        for givesUp in [false, true] {
            let contoso = try Contoso()
            let account = try contoso.signIn()
            contoso.clock.advance(by: 4000)
            let (gate, tokens) = (Gate(), contoso.tokens("2"))
            contoso.server.answer { _ throws(TransportError) in
                await gate.wait()
                return TransportResponse(status: 200, body: Array(tokens.utf8))
            }
            let request = SilentRequest(scopes: ["User.Read"], account: account)
            let caller = Task { try await contoso.client.acquireTokenSilent(request) }
            while contoso.server.posts.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
            let opening = Task {
                try await Task.sleep(for: .milliseconds(100))
                gate.open()
            }
            if givesUp { caller.cancel() }
            await contoso.client.close()
            let query = try PreparedSilentRequest(request, of: contoso.client).query
            #expect(try await contoso.cache.token(for: query).validToken != nil)
            try await opening.value
            let outcome = await caller.result
            if !givesUp { #expect(try outcome.get().accessToken.secretString == "at-2") }
        }
    }

    @Test func `closing ends a request that has sent nothing`() async throws {
        let client = try clientWhoseMetadata(waitsFor: gate)
        let request = request
        let caller = Task {
            await #expect(throws: AcquisitionError.self) { try await client.acquireTokenSilent(request) }
        }
        while contoso.server.gets.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
        await client.close()
        #expect(await caller.value?.code == .cancelled)
        #expect(contoso.server.posts.isEmpty)
        gate.open()
    }

    private var request: SilentRequest { SilentRequest(scopes: ["User.Read"], account: account) }

    @Test func `a caller that was cancelled before sends nothing`() async throws {
        let discovery = Gate()
        let client = try clientWhoseMetadata(waitsFor: discovery)
        let request = request
        let caller = Task {
            await #expect(throws: AcquisitionError.self) { try await client.acquireTokenSilent(request) }
        }
        while contoso.server.gets.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
        caller.cancel()
        #expect(await caller.value?.code == .cancelled)
        discovery.open()
        await client.close()
        #expect(contoso.server.posts.isEmpty)
        // The metadata that it asked for is there for the next caller.
        contoso.server.answer(contoso.tokens("2"))
        #expect(try await client.acquireTokenSilent(request).source == .renewal)
        #expect(contoso.server.gets.count == 1)
    }

    @Test func `a caller waits for metadata that others requested no longer than its own time`() async throws {
        let discovery = Gate()
        let client = try clientWhoseMetadata(waitsFor: discovery)
        let authority = try Authority.entra(tenant: Contoso.tenant)
        let patient = Task { try await client.discovery.finding(for: authority, timeout: .seconds(60)) }
        while contoso.server.gets.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
        let error = await #expect(throws: AcquisitionError.self) {
            try await client.discovery.finding(for: authority, timeout: .milliseconds(50))
        }
        #expect(error?.code == .timeout)
        discovery.open()
        _ = try await patient.value
        #expect(contoso.server.gets.count == 1)
    }

    @Test func `a time that is over counts as an outage for the extended lifetime`() async throws {
        let contoso = try Contoso { $0.allowsExtendedLifetime = true }
        let account = try contoso.signIn("1", ["ext_expires_in": 86400])
        contoso.clock.advance(by: 4000)
        let gate = gate
        contoso.server.answer { _ throws(TransportError) in
            await gate.wait()
            return TransportResponse(status: 503)
        }
        let result = try await contoso.silent(account) { $0.timeout = .milliseconds(100) }
        #expect(result.source == .cacheWhileServerUnavailable)
        gate.open()
    }

    @Test func `a migration that is cancelled after its refresh token was sent becomes a sign-in`() async throws {
        holdAnswer()
        let (contoso, account) = (contoso, account)
        let caller = Task {
            await #expect(throws: AcquisitionError.self) {
                try await contoso.client.acquireToken(MigrationRequest(scopes: ["User.Read"]), redeeming: "old-rt")
            }?.code
        }
        try await untilSent()
        caller.cancel()
        #expect(await caller.value == .cancelled)
        gate.open()
        await contoso.client.close()
        #expect(try await contoso.silent(account).accessToken.secretString == "at-2")
        #expect(contoso.server.posts.count == 1)
    }
}

/// A server that answers requests for metadata when the gate is open.
private struct HeldMetadata: Transport {
    let gate: Gate
    let next: ScriptedServer

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let response = try await next.send(request)
        if request.method == .get { await gate.wait() }
        return response
    }
}

extension TokenDecision {
    /// The token, if it is valid.
    fileprivate var validToken: AccessToken? {
        if case .valid(let token) = self { token } else { nil }
    }
}
