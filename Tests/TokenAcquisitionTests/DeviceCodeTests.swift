// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing
import TokenCaching

@testable import TokenAcquisition

@Suite struct DeviceCodeTests {
    let contoso: Contoso

    init() throws {
        contoso = try Contoso()
    }

    private func authorize(_ changes: [String: Any] = [:]) {
        let members: [String: Any] = [
            "device_code": "dc-1", "user_code": "ABCD-EFGH",
            "verification_uri": "https://microsoft.example/devicelogin",
            "verification_uri_complete": "https://microsoft.example/devicelogin?code=ABCD-EFGH",
            "expires_in": 900, "interval": 5, "message": "Go there and enter ABCD-EFGH.",
        ]
        contoso.server.answer(json(members.merging(changes) { $1 }))
    }

    private func fail(_ error: String) {
        contoso.server.answer(status: 400, json(["error": error]))
    }

    private func signIn(
        prompting: @Sendable (DeviceCodePrompt) async throws -> Void = { _ in }
    ) async throws -> AuthenticationResult {
        try await contoso.client.acquireToken(DeviceCodeRequest(scopes: ["User.Read"]), prompting: prompting)
    }

    private func failure() async -> AcquisitionError? {
        await #expect(throws: AcquisitionError.self) { try await signIn() }
    }

    @Test func `the user signs in, and the next request is silent`() async throws {
        authorize()
        fail("authorization_pending")
        fail("slow_down")
        fail("authorization_pending")
        contoso.server.answer(contoso.tokens("1"))
        let shown = Mutex<[DeviceCodePrompt]>([])
        let result = try await signIn { prompt in shown.withLock { $0.append(prompt) } }
        #expect(result.source == .deviceCode)
        #expect(try result.accessToken.secretString == "at-1")
        let prompt = try #require(shown.withLock { $0 }.first)
        #expect(prompt.userCode == "ABCD-EFGH")
        #expect(prompt.verificationHost == "microsoft.example")
        #expect(prompt.message == "Go there and enter ABCD-EFGH.")
        #expect(prompt.verificationURIComplete == "https://microsoft.example/devicelogin?code=ABCD-EFGH")
        #expect(!"\(prompt)".contains("ABCD"))
        #expect(contoso.slept.all == [.seconds(5), .seconds(5), .seconds(10), .seconds(10)])
        let posts = contoso.server.posts
        #expect(
            posts[0].form == [
                "client_id": Contoso.clientID, "scope": "User.Read openid profile offline_access", "client_info": "1",
            ]
        )
        #expect(posts[0].url == "\(Contoso.host)/common/oauth2/v2.0/devicecode")
        #expect(
            posts[1].form == [
                "client_id": Contoso.clientID, "grant_type": "urn:ietf:params:oauth:grant-type:device_code",
                "device_code": "dc-1", "client_info": "1",
            ]
        )
        let account = try #require(try await contoso.client.currentAccount().current)
        #expect(try await contoso.silent(account).source == .cache)
    }

    @Test(arguments: [
        ("access_denied", AcquisitionError.Code.declinedByUser), ("authorization_declined", .declinedByUser),
        ("expired_token", .deviceCodeExpired), ("code_expired", .deviceCodeExpired),
        ("unauthorized_client", .grantNotSupported), ("invalid_grant", .interactionRequired),
        ("bad_verification_code", .serverRefused),
    ])
    func `an answer that ends it lands in its code`(_ error: String, _ code: AcquisitionError.Code) async {
        authorize()
        fail(error)
        #expect(await failure()?.code == code)
        #expect(contoso.server.posts.count == 2)
    }

    @Test func `a code that nobody enters expires by its lifetime`() async {
        authorize(["expires_in": 12])
        fail("authorization_pending")
        fail("authorization_pending")
        #expect(await failure()?.code == .deviceCodeExpired)
        #expect(contoso.slept.all == [.seconds(5), .seconds(5)])
    }

    @Test func `a problem of network or server makes it wait longer`() async throws {
        authorize()
        contoso.server.answer(failure: TransportError(.timeout, mayHaveBeenSent: true))
        contoso.server.answer(status: 503, "")
        contoso.server.answer(status: 429, "", headers: ["Retry-After": "33"])
        contoso.server.answer(contoso.tokens("1"))
        _ = try await signIn()
        #expect(contoso.slept.all == [.seconds(5), .seconds(10), .seconds(20), .seconds(40)])
    }

    @Test func `a server that asks for time until a date is asked again by the client's clock`() async throws {
        authorize()
        // The test's clock shows 22:13:25 after the first five seconds.
        contoso.server.answer(status: 429, "", headers: ["Retry-After": "Tue, 14 Nov 2023 22:14:00 GMT"])
        contoso.server.answer(contoso.tokens("1"))
        _ = try await signIn()
        #expect(contoso.slept.all == [.seconds(5), .seconds(35)])
    }

    @Test(arguments: [
        ["user_code": "AB\u{1B}[2J"], ["user_code": "AB\u{202E}CD"], ["user_code": ""],
        ["user_code": String(repeating: "x", count: 65)], ["verification_uri": "http://microsoft.example/"],
        ["verification_uri": "https://microsoft.example/\u{1B}[2J"], ["verification_uri": "javascript:alert(1)"],
        ["verification_uri": "http://localhost:8080/admin"],
        ["verification_uri": "https://login.microsoft.example@evil.example/"], ["device_code": ""],
    ])
    func `a code or an address that cannot be shown safely is refused`(_ change: [String: String]) async {
        authorize(change)
        #expect(await failure()?.code == .responseRejected)
        #expect(contoso.server.posts.count == 1)
    }

    @Test func `a message is shown without what would change the terminal`() async throws {
        authorize(["message": "Go\nto\u{1B}[31m \u{202E}evil\u{200B}" + String(repeating: "x", count: 5000)])
        contoso.server.answer(contoso.tokens("1"))
        let message = Mutex("")
        _ = try await signIn { prompt in message.withLock { $0 = prompt.message } }
        let text = message.withLock { $0 }
        #expect(text.hasPrefix("Go to[31m evilxxx"))
        #expect(text.count == 1000)
    }

    @Test func `an address with the code counts only on the same host`() async throws {
        authorize(["verification_uri_complete": "https://evil.example/?code=x"])
        contoso.server.answer(contoso.tokens("1"))
        _ = try await signIn { prompt in #expect(prompt.verificationURIComplete == nil) }
    }

    @Test func `a server without the grant says so`() async {
        contoso.publish(tenant: "common", ["device_authorization_endpoint": NSNullMember.value])
        #expect(await failure()?.code == .grantNotSupported)
    }

    @Test func `an id token is checked before anything is saved`() async throws {
        authorize()
        contoso.server.answer(contoso.tokens("1", claims: ["exp": contoso.clock.now - 1000]))
        #expect(await failure()?.code == .idTokenRejected)
        #expect(try await contoso.client.accounts(matching: .all).isEmpty)
    }

    @Test func `who cannot show the code gives up`() async throws {
        authorize()
        let error = await #expect(throws: AcquisitionError.self) {
            try await signIn { _ in throw CancellationError() }
        }
        #expect(error?.code == .cancelled)
        #expect(contoso.server.posts.count == 1)
    }

    @Test func `the error of what shows the code is kept, and not described`() async throws {
        struct Failure: Error, Equatable { let text = "canary" }
        authorize()
        let error = await #expect(throws: AcquisitionError.self) { try await signIn { _ in throw Failure() } }
        #expect(error?.code == .cancelled && error?.detail == "the code was not shown")
        #expect(error?.underlying as? Failure == Failure())
        var shown = error.map { "\($0)\(String(reflecting: $0))" } ?? "canary"
        dump(error, to: &shown)
        #expect(!shown.contains("canary"))
    }

    @Test func `an error with a code of the application that shows the code comes back`() async throws {
        authorize()
        let error = await #expect(throws: AcquisitionError.self) {
            try await signIn { _ in throw AcquisitionError(.declinedByUser) }
        }
        #expect(error?.code == .declinedByUser)
        #expect(contoso.server.posts.count == 1)
    }

    @Test func `a request without time gets no code`() async throws {
        var request = DeviceCodeRequest(scopes: ["User.Read"])
        request.timeout = .zero
        let error = await #expect(throws: AcquisitionError.self) {
            try await contoso.client.acquireToken(request) { _ in Issue.record("a code was shown") }
        }
        #expect(error?.code == .timeout)
        #expect(contoso.server.posts.isEmpty)
    }

    @Test func `a cancelled task asks no more`() async throws {
        authorize()
        let (contoso, request) = (contoso, DeviceCodeRequest(scopes: ["User.Read"]))
        let (shown, gate) = (Gate(), Gate())
        let task = Task {
            try await contoso.client.acquireToken(request) { _ in
                shown.open()
                await gate.wait()
            }
        }
        await shown.wait()
        task.cancel()
        gate.open()
        let error = await #expect(throws: AcquisitionError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        #expect(contoso.server.posts.count == 1)
    }
}
