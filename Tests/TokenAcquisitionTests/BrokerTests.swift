// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing
import TokenCaching

@testable import TokenAcquisition

@Suite struct BrokerTests {
    final class FakeBroker: Broker {
        let answer: @Sendable (BrokerRequest) throws(AcquisitionError) -> String?
        private let requests = Mutex<[BrokerRequest]>([])
        var seen: [BrokerRequest] { requests.withLock { $0 } }

        init(_ answer: @escaping @Sendable (BrokerRequest) throws(AcquisitionError) -> String?) {
            self.answer = answer
        }

        func tokenResponse(for request: BrokerRequest) async throws(AcquisitionError) -> [UInt8]? {
            requests.withLock { $0.append(request) }
            return try answer(request).map { Array($0.utf8) }
        }
    }

    let contoso: Contoso
    let account: Account

    init() throws {
        contoso = try Contoso()
        account = try contoso.signIn()
    }

    private func silent(
        _ broker: FakeBroker,
        scopes: [String] = ["User.Read"],
        _ change: (inout ClientConfiguration) -> Void = { _ in }
    ) async throws -> AuthenticationResult {
        var services = Contoso.services(contoso.server, contoso.clock, contoso.slept)
        services.broker = broker
        var configuration = contoso.client.configuration
        change(&configuration)
        let client = try PublicClient(configuration, cache: contoso.cache, services: services)
        return try await client.acquireTokenSilent(SilentRequest(scopes: scopes, account: account))
    }

    private func failure(_ broker: FakeBroker) async -> AcquisitionError? {
        await #expect(throws: AcquisitionError.self) { try await silent(broker) }
    }

    @Test func `a valid token in the cache needs no broker`() async throws {
        let broker = FakeBroker { _ throws(AcquisitionError) in throw AcquisitionError(.serverRefused) }
        #expect(try await silent(broker).source == .cache)
        #expect(broker.seen.isEmpty)
    }

    @Test func `a broker's token is kept, and no refresh token is sent`() async throws {
        contoso.clock.advance(by: 4000)
        let response = contoso.tokens("b", ["refresh_token": ""])
        let broker = FakeBroker { _ in response }
        let result = try await silent(broker)
        #expect(result.source == .broker)
        #expect(try result.accessToken.secretString == "at-b")
        #expect(contoso.server.posts.isEmpty)
        #expect(broker.seen.first?.account == account && broker.seen.first?.scopes == ["User.Read"])
        // Everybody finds it now.
        #expect(try await contoso.silent(account).accessToken.secretString == "at-b")
    }

    @Test func `without a sign-in of the broker the refresh token is redeemed`() async throws {
        contoso.clock.advance(by: 4000)
        contoso.server.answer(contoso.tokens("2"))
        #expect(try await silent(FakeBroker { _ in nil }).accessToken.secretString == "at-2")
    }

    @Test func `an error of the broker ends the request, and loses nothing`() async throws {
        contoso.clock.advance(by: 4000)
        let broker = FakeBroker { _ throws(AcquisitionError) in throw AcquisitionError(.deviceRegistrationRequired) }
        #expect(await failure(broker)?.code == .deviceRegistrationRequired)
        #expect(contoso.server.posts.isEmpty)
        contoso.server.answer(contoso.tokens("2"))
        #expect(try await contoso.silent(account).accessToken.secretString == "at-2")
    }

    @Test func `a broker's response is checked like a server's`() async throws {
        contoso.clock.advance(by: 4000)
        let foreign = contoso.tokens("b", claims: ["aud": "another-application"])
        #expect(await failure(FakeBroker { _ in foreign })?.code == .idTokenRejected)
        #expect(await failure(FakeBroker { _ in "<html>" }) != nil)
        contoso.server.answer(contoso.tokens("2"))
        #expect(try await contoso.silent(account).accessToken.secretString == "at-2")
    }

    @Test func `declined scopes and another account are reported as in a renewal`() async throws {
        contoso.clock.advance(by: 4000)
        let response = contoso.tokens("b")
        let declined = await #expect(throws: AcquisitionError.self) {
            try await silent(FakeBroker { _ in response }, scopes: ["User.Read", "Mail.Read"])
        }
        #expect(declined?.code == .scopesDeclined && declined?.declinedScopes == ["Mail.Read"])
        contoso.clock.advance(by: 4000)
        let info = base64URL(json(["uid": "99999999-2222-3333-4444-555555555555", "utid": Contoso.tenant]))
        let foreign = contoso.tokens(
            "f",
            ["client_info": info],
            claims: ["oid": "99999999-2222-3333-4444-555555555555"]
        )
        #expect(await failure(FakeBroker { _ in foreign })?.code == .accountMismatch)
    }

    @Test func `an expired token helps out where the broker is unreachable, as where the server is`() async throws {
        try contoso.signIn("1", ["ext_expires_in": 90_000])
        contoso.clock.advance(by: 4000)
        let broker = FakeBroker { _ throws(AcquisitionError) in throw AcquisitionError(.networkFailed) }
        #expect(await failure(broker)?.code == .networkFailed)
        #expect(try await silent(broker) { $0.allowsExtendedLifetime = true }.source == .cacheWhileServerUnavailable)
    }

    @Test func `a sign-out while the broker works is not undone`() async throws {
        contoso.clock.advance(by: 4000)
        let (cache, account, response) = (contoso.cache, account, contoso.tokens("b"))
        let broker = FakeBroker { _ in
            try? cache.signOut(account)
            return response
        }
        let error = await failure(broker)
        #expect(error?.code == .interactionRequired && error?.reason == .signedOut)
        #expect(try await contoso.cache.accounts().isEmpty)
    }

    @Test func `a request for a broker shows nobody's name`() async throws {
        contoso.clock.advance(by: 4000)
        let broker = FakeBroker { _ in nil }
        contoso.server.answer(contoso.tokens("2"))
        _ = try await silent(broker)
        let request = try #require(broker.seen.first)
        var dumped = ""
        dump(request, to: &dumped)
        #expect(!"\(request)\(dumped)".contains("ada@") && !"\(request)\(dumped)".contains(Contoso.objectID))
    }
}
