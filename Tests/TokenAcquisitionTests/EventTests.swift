// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing
import TokenCaching

@testable import TokenAcquisition

@Suite struct EventTests {
    final class Log: Sendable {
        private let events = Mutex<[AcquisitionEvent]>([])
        var all: [AcquisitionEvent] { events.withLock { $0 } }
        func note(_ event: AcquisitionEvent) { events.withLock { $0.append(event) } }
    }

    let contoso: Contoso
    let client: PublicClient
    let log = Log()

    init() throws {
        contoso = try Contoso()
        var services = Contoso.services(contoso.server, contoso.clock, contoso.slept)
        services.onEvent = { [log] in log.note($0) }
        client = try PublicClient(contoso.client.configuration, cache: contoso.cache, services: services)
    }

    private func silent(_ account: Account) async throws -> AuthenticationResult {
        try await client.acquireTokenSilent(SilentRequest(scopes: ["User.Read"], account: account))
    }

    @Test func `a request that the cache satisfies makes none`() async throws {
        _ = try await silent(try contoso.signIn())
        #expect(log.all == [])
    }

    @Test func `a renewal is reported with its requests, which share its id`() async throws {
        let account = try contoso.signIn()
        contoso.clock.advance(by: 4000)
        contoso.server.answer(contoso.tokens("2"))
        let result = try await silent(account)
        #expect(log.all.map(\.kind) == [.request, .request, .silent])
        #expect(log.all.map(\.status) == [200, 200, nil])
        #expect(log.all.map(\.correlationID) == [nil, result.correlationID, result.correlationID])
        #expect(log.all.allSatisfy { $0.errorCode == nil && $0.duration > .zero })
    }

    @Test func `a failure is reported with its code, and a response with an error by its status`() async throws {
        let account = try contoso.signIn()
        contoso.clock.advance(by: 4000)
        contoso.server.answer(status: 400, json(["error": "invalid_grant"]))
        await #expect(throws: AcquisitionError.self) { try await silent(account) }
        #expect(log.all.map(\.status) == [200, 400, nil])
        #expect(log.all.map(\.errorCode) == [nil, nil, .interactionRequired])
    }

    @Test func `a request without a response is reported`() async throws {
        let account = try contoso.signIn()
        contoso.clock.advance(by: 4000)
        contoso.server.answer(failure: TransportError(.timeout, mayHaveBeenSent: true))
        await #expect(throws: AcquisitionError.self) { try await silent(account) }
        #expect(log.all.map(\.errorCode) == [nil, .networkFailed, .networkFailed])
    }

    @Test func `every call that sends requests is reported`() async throws {
        contoso.server.answer(contoso.tokens("1"))
        let migrated = try await client.acquireToken(MigrationRequest(scopes: ["User.Read"]), redeeming: "rt-0")
        var request = SignOutRequest()
        request.revokesTokens = true
        try await client.signOut(try #require(try await migrated.account()), with: request)
        await #expect(throws: AcquisitionError.self) {
            try await client.acquireToken(DeviceCodeRequest(scopes: ["User.Read"])) { _ in }
        }
        #expect(log.all.map(\.kind).filter { $0 != .request } == [.migration, .signOut, .deviceCode])
    }

    @Test func `no event holds a token, a code, a name, a scope or what a server said`() async throws {
        let account = try contoso.signIn()
        contoso.clock.advance(by: 4000)
        // None has hexadecimal digits only: a dump holds addresses.
        let canaries = [
            "rt-1", "at-1", "ada@", "lovelace", "User.Read", "contoso", "secret-word", Contoso.objectID, "https",
        ]
        let description = "secret-word Ada Lovelace"
        contoso.server.answer(status: 400, json(["error": "invalid_grant", "error_description": description]))
        await #expect(throws: AcquisitionError.self) { try await silent(account) }
        #expect(log.all.count == 3)
        for event in log.all {
            var dumped = ""
            dump(event, to: &dumped)
            // Its digits are random, and may spell a name.
            let id = event.correlationID?.description ?? "no id"
            for text in ["\(event)", String(reflecting: event), dumped].map({ $0.replacing(id, with: "") }) {
                #expect(!canaries.contains { text.lowercased().contains($0.lowercased()) }, "\(text)")
            }
        }
    }
}
