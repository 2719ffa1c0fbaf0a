// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing
import TokenCaching

@testable import TokenAcquisition

/// Callers that are cancelled while a server has the code of a sign-in, or the last question for a device code.
@Suite struct CompletedSignInTests {
    let contoso: Contoso
    let gate = Gate()

    init() throws { contoso = try Contoso() }

    /// Cancels a sign-in while the server answers its last request, and returns its result.
    private func cancelled(
        whenPosted count: Int,
        _ signIn: @escaping @Sendable () async throws -> AuthenticationResult
    ) async throws -> Result<AuthenticationResult, any Error> {
        let caller = Task { try await signIn() }
        while contoso.server.posts.count < count { try await Task.sleep(for: .milliseconds(2)) }
        caller.cancel()
        try await Task.sleep(for: .milliseconds(50))
        gate.open()
        return await caller.result
    }

    @Test func `the exchange of a code is completed, saved and returned`() async throws {
        let browser = FakeBrowser()
        browser.answer { query in [redirect(.query, ["code": "c", "state": query["state"] ?? ""])] }
        let (client, gate) = (try contoso.client(browser), gate)
        let tokens = Contoso.answer(in: browser, contoso)
        contoso.server.answer { request throws(TransportError) in
            await gate.wait()
            guard !Task.isCancelled else { throw TransportError(.cancelled, mayHaveBeenSent: true) }
            return try await tokens(request)
        }
        let result = try await cancelled(whenPosted: 1) {
            try await client.acquireToken(InteractiveRequest(scopes: ["User.Read"]))
        }
        #expect(try result.get().source == .interactive)
        #expect(try await contoso.client.accounts().count == 1)
    }

    @Test func `the last question for a device code is completed, saved and answered`() async throws {
        let code: [String: Any] = [
            "device_code": "dc", "user_code": "ABCD", "verification_uri": "https://microsoft.example/d",
            "expires_in": 900,
        ]
        contoso.server.answer(json(code))
        let (gate, tokens) = (gate, contoso.tokens("1"))
        contoso.server.answer { _ throws(TransportError) in
            await gate.wait()
            guard !Task.isCancelled else { throw TransportError(.cancelled, mayHaveBeenSent: true) }
            return TransportResponse(status: 200, body: Array(tokens.utf8))
        }
        let client = contoso.client
        let result = try await cancelled(whenPosted: 2) {
            try await client.acquireToken(DeviceCodeRequest(scopes: ["User.Read"])) { _ in }
        }
        #expect(try result.get().source == .deviceCode)
        #expect(try await contoso.client.accounts().count == 1)
    }

    @Test func `a sign-in that is cancelled before asks no more`() async throws {
        let code: [String: Any] = [
            "device_code": "dc", "user_code": "ABCD", "verification_uri": "https://microsoft.example/d",
            "expires_in": 900,
        ]
        contoso.server.answer(json(code))
        let (gate, client) = (gate, contoso.client)
        let result = try await cancelled(whenPosted: 1) {
            try await client.acquireToken(DeviceCodeRequest(scopes: ["User.Read"])) { _ in await gate.wait() }
        }
        #expect(throws: AcquisitionError.self) { try result.get() }
        #expect(contoso.server.posts.count == 1)
    }

    @Test(arguments: [true, false])
    func `the end of a renewal is reported only if its caller gave up`(givesUp: Bool) async throws {
        let account = try contoso.signIn()
        contoso.clock.advance(by: 4000)
        let recorded = EventLog()
        var services = Contoso.services(contoso.server, contoso.clock, contoso.slept)
        services.onEvent = { recorded.add($0) }
        let client = try PublicClient(contoso.client.configuration, cache: contoso.cache, services: services)
        let (gate, tokens) = (gate, contoso.tokens("2"))
        contoso.server.answer { _ throws(TransportError) in
            await gate.wait()
            return TransportResponse(status: 200, body: Array(tokens.utf8))
        }
        let caller = Task {
            try await client.acquireTokenSilent(SilentRequest(scopes: ["User.Read"], account: account))
        }
        while contoso.server.posts.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
        if givesUp {
            caller.cancel()
            await #expect(throws: AcquisitionError.self) { try await caller.value }
        }
        let opening = Task {
            try await Task.sleep(for: .milliseconds(50))
            gate.open()
        }
        await client.close()
        try await opening.value
        if !givesUp { #expect(try await caller.value.source == .renewal) }
        let ends = recorded.all.filter { $0.kind == .abandonedRenewal }
        #expect(ends.map(\.errorCode) == (givesUp ? [nil] : []))
    }
}

private final class EventLog: Sendable {
    private let events = Mutex<[AcquisitionEvent]>([])

    var all: [AcquisitionEvent] { events.withLock { $0 } }

    func add(_ event: AcquisitionEvent) { events.withLock { $0.append(event) } }
}
