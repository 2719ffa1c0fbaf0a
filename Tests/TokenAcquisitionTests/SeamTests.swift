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

    private func silent(_ broker: FakeBroker) async throws -> AuthenticationResult {
        var services = Contoso.services(contoso.server, contoso.clock, contoso.slept)
        services.broker = broker
        let client = try PublicClient(contoso.client.configuration, cache: contoso.cache, services: services)
        return try await client.acquireTokenSilent(SilentRequest(scopes: ["User.Read"], account: account))
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
        #expect(!"\(request)\(dumped)".contains("ada") && !"\(request)\(dumped)".contains(Contoso.objectID))
    }
}

@Suite struct AuthenticationSchemeTests {
    struct Proof: AuthenticationScheme {
        var keyID = "key-1"
        var tokenType: String { "pop" }
        var tokenRequestParameters: [String: String] { ["token_type": "pop", "req_cnf": "thumbprint-\(keyID)"] }

        func authorizationHeader(accessToken: String, for request: ResourceRequest) throws -> String {
            "PoP \(request.method) \(request.url) \(request.nonce ?? "-") \(accessToken) \(keyID)"
        }
    }

    let contoso: Contoso
    let account: Account

    init() throws {
        contoso = try Contoso()
        account = try contoso.signIn()
    }

    private func bound(_ keyID: String = "key-1") async throws -> AuthenticationResult {
        try await contoso.silent(account) { $0.authenticationScheme = Proof(keyID: keyID) }
    }

    @Test func `a bound token is requested with the key, and found again only for it`() async throws {
        contoso.server.answer(contoso.tokens("p", ["token_type": "pop"]))
        let result = try await bound()
        #expect(result.source == .renewal)
        #expect(try result.accessToken.secretString == "at-p")
        #expect(result.accessToken.keyID == "key-1")
        let form = try #require(contoso.server.posts.last?.form)
        #expect(form["token_type"] == "pop" && form["req_cnf"] == "thumbprint-key-1")
        #expect(try await bound().source == .cache)
        contoso.server.answer(contoso.tokens("q", ["token_type": "pop"]))
        #expect(try await bound("key-2").accessToken.secretString == "at-q")
        // The bearer token is another one.
        #expect(try await contoso.silent(account).accessToken.secretString == "at-1")
    }

    @Test func `the header of a request is the scheme's`() async throws {
        contoso.server.answer(contoso.tokens("p", ["token_type": "pop"]))
        let request = ResourceRequest(method: "GET", url: "https://api.example/me", nonce: "n")
        #expect(try await bound().authorizationHeader(for: request) == "PoP GET https://api.example/me n at-p key-1")
        #expect(try await contoso.silent(account).authorizationHeader(for: request) == "Bearer at-1")
    }

    @Test func `a bearer token instead of a bound one is not handed out, and is kept`() async throws {
        contoso.server.answer(contoso.tokens("2"))
        let error = await #expect(throws: AcquisitionError.self) { try await bound() }
        #expect(error?.code == .responseRejected, "\(error.map { "\($0)" } ?? "")")
        #expect(try await contoso.silent(account).accessToken.secretString == "at-2")
    }
}
