// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TokenCaching

@testable import TokenAcquisition

/// Several requests of one group that ask the user at the same time.
@Suite struct InteractionTests {
    let contoso: Contoso
    let browser = FakeBrowser()
    private let folder = TemporaryFolder()

    init() throws {
        contoso = try Contoso()
        contoso.publish(tenant: "common", ["response_modes_supported": ["query", "form_post"]])
        browser.hold()
        succeed()
    }

    private func succeed() {
        browser.answer { query in [redirect(.formPost, ["code": "c-1", "state": query["state"] ?? ""])] }
    }

    private func cache(_ clientID: String = Contoso.clientID) throws -> TokenCache {
        try TokenCache(
            group: "tests",
            clientID: clientID,
            root: folder.path,
            storage: .file(unlockedBy: .keyFile),
            options: TokenCacheOptions(clock: contoso.clock.wallClock)
        )
    }

    private func start(
        _ client: PublicClient,
        _ change: (inout InteractiveRequest) -> Void = { _ in }
    ) -> Task<AuthenticationResult, any Error> {
        var request = InteractiveRequest(scopes: ["User.Read"])
        request.timeout = .seconds(30)
        change(&request)
        return Task { [request] in try await client.acquireToken(request) }
    }

    /// Waits until this number of windows was opened.
    private func windows(_ count: Int) async throws {
        for _ in 0..<2000 where browser.opened.count < count { try await Task.sleep(for: .milliseconds(5)) }
        try #require(browser.opened.count == count)
    }

    /// Starts a request, and when its window is open another one, which then waits.
    private func startTwo(
        _ client: PublicClient,
        _ change: (inout InteractiveRequest) -> Void = { _ in }
    ) async throws -> (asking: Task<AuthenticationResult, any Error>, waiting: Task<AuthenticationResult, any Error>) {
        let asking = start(client)
        try await windows(1)
        let waiting = start(client, change)
        try await Task.sleep(for: .seconds(1))
        #expect(browser.opened.count == 1)
        return (asking, waiting)
    }

    private func failure(of task: Task<AuthenticationResult, any Error>) async -> AcquisitionError? {
        await #expect(throws: AcquisitionError.self) { try await task.value }
    }

    @Test func `of twenty requests of one group one opens a window, and all get its token`() async throws {
        let clients = try (0..<4).map { _ in try contoso.client(browser, cache: cache()) }
        contoso.answerSignIn(in: browser)
        let tasks = (0..<20).map { start(clients[$0 % 4]) }
        try await windows(1)
        try await Task.sleep(for: .seconds(1))
        browser.proceed()
        var sources: [AuthenticationResult.Source] = []
        for task in tasks {
            let result = try await task.value
            #expect(try result.accessToken.secretString == "at-1")
            sources.append(result.source)
        }
        #expect(sources.count { $0 == .interactive } == 1)
        #expect(sources.count { $0 == .cache } == 19)
        #expect(browser.opened.count == 1)
        #expect(contoso.server.posts.count == 1)
    }

    @Test func `a user who declines answers all who waited, and nobody who comes later`() async throws {
        let clients = try (0..<3).map { _ in try contoso.client(browser, cache: cache()) }
        browser.answer { [redirect(.formPost, ["error": "access_denied", "state": $0["state"] ?? ""])] }
        let tasks = (0..<9).map { start(clients[$0 % 3]) }
        try await windows(1)
        try await Task.sleep(for: .seconds(1))
        browser.proceed()
        for task in tasks { #expect(await failure(of: task)?.code == .declinedByUser) }
        #expect(browser.opened.count == 1)
        succeed()
        contoso.answerSignIn(in: browser)
        #expect(try await start(clients[0]).value.source == .interactive)
        #expect(browser.opened.count == 2)
    }

    @Test func `cancelling the request that asks answers all who waited`() async throws {
        let client = try contoso.client(browser)
        let (asking, waiting) = try await startTwo(client)
        let third = start(client)
        try await Task.sleep(for: .seconds(1))
        asking.cancel()
        for task in [asking, waiting, third] { #expect(await failure(of: task)?.code == .cancelled) }
        #expect(browser.opened.count == 1)
    }

    @Test func `cancelling a request that waits changes nothing for the others`() async throws {
        let client = try contoso.client(browser)
        let (asking, waiting) = try await startTwo(client)
        waiting.cancel()
        #expect(await failure(of: waiting)?.code == .cancelled)
        contoso.answerSignIn(in: browser)
        browser.proceed()
        #expect(try await asking.value.source == .interactive)
    }

    @Test func `if the request that asks fails, the next one asks`() async throws {
        let (asking, waiting) = try await startTwo(try contoso.client(browser))
        browser.answer { query in
            let isFirst = browser.opened.count == 1
            return [redirect(isFirst ? .query : .formPost, ["code": "c", "state": query["state"] ?? ""])]
        }
        contoso.answerSignIn(in: browser)
        browser.proceed()
        #expect(await failure(of: asking)?.code == .responseRejected)
        #expect(try await waiting.value.source == .interactive)
        #expect(browser.opened.count == 2)
    }

    @Test func `a request for other scopes is renewed with the new refresh token`() async throws {
        let (asking, waiting) = try await startTwo(try contoso.client(browser)) { $0.scopes = ["Mail.Read"] }
        contoso.answerSignIn(in: browser)
        contoso.server.answer(contoso.tokens("2", ["scope": "Mail.Read"]))
        browser.proceed()
        #expect(try await asking.value.source == .interactive)
        let result = try await waiting.value
        #expect(result.source == .renewal)
        #expect(try result.accessToken.secretString == "at-2")
        #expect(contoso.server.posts.last?.form["refresh_token"] == "rt-1")
        #expect(browser.opened.count == 1)
    }

    static let ownQuestions: [@Sendable (inout InteractiveRequest) -> Void] = [
        { $0.prompt = .login }, { $0.prompt = .selectAccount }, { $0.prompt = .consent },
        { $0.extraScopesToConsent = ["Mail.Read"] },
    ]

    @Test(arguments: ownQuestions.indices)
    func `a request that wants more than a sign-in asks when it is its turn`(_ index: Int) async throws {
        let (asking, waiting) = try await startTwo(try contoso.client(browser), Self.ownQuestions[index])
        contoso.answerSignIn(in: browser)
        contoso.answerSignIn(in: browser)
        browser.proceed()
        #expect(try await asking.value.source == .interactive)
        #expect(try await waiting.value.source == .interactive)
        #expect(browser.opened.count == 2)
    }

    @Test func `a hint is compared with the account that signed in`() async throws {
        let client = try contoso.client(browser)
        let (asking, bob) = try await startTwo(client) { $0.loginHint = "bob@contoso.example" }
        let ada = start(client) { $0.loginHint = "ADA@contoso.example" }
        try await Task.sleep(for: .seconds(1))
        contoso.answerSignIn(in: browser)
        contoso.answerSignIn(
            in: browser,
            ["client_info": base64URL(json(["uid": "bob", "utid": Contoso.tenant]))],
            claims: ["preferred_username": "bob@contoso.example", "sub": "bob", "oid": "bob"]
        )
        // The first window's answer is to be there when both look.
        browser.proceedOnce()
        #expect(try await asking.value.source == .interactive)
        #expect(try await ada.value.source == .cache)
        browser.proceed()
        let result = try await bob.value
        #expect(result.source == .interactive)
        #expect(try await result.account()?.username == "bob@contoso.example")
        #expect(browser.opened.count == 2)
    }

    @Test func `an account that was signed in before answers nobody`() async throws {
        try contoso.signIn("0")
        contoso.clock.advance(by: 1)
        let (asking, waiting) = try await startTwo(try contoso.client(browser))
        browser.answer { query in
            let isFirst = browser.opened.count == 1
            return [redirect(isFirst ? .query : .formPost, ["code": "c", "state": query["state"] ?? ""])]
        }
        contoso.answerSignIn(in: browser)
        browser.proceed()
        #expect(await failure(of: asking)?.code == .responseRejected)
        #expect(try await waiting.value.source == .interactive)
    }

    @Test func `other authorities and other clients are asked about at the same time`() async throws {
        let client = try contoso.client(browser, cache: cache())
        let asking = start(client)
        try await windows(1)
        let elsewhere = start(client) { $0.authority = .organizations }
        try await windows(2)
        let other = start(try contoso.client(browser, cache: cache("another")))
        try await windows(3)
        for task in [asking, elsewhere, other] {
            task.cancel()
            #expect(await failure(of: task)?.code == .cancelled)
        }
    }

    @Test func `clients of one family wait for each other, and share the sign-in`() async throws {
        let (mail, files) = (try cache("mail"), try cache("files"))
        for cache in [mail, files] {
            let saved = try await cache.save(
                TokenResponse(json: Array(contoso.tokens("0", ["foci": "1"]).utf8)),
                for: TokenRequest(
                    environment: "login.microsoftonline.com",
                    tenant: "common",
                    scopes: ["User.Read"],
                    grant: .interactive
                )
            )
            try await cache.signOut(try #require(saved.account))
        }
        let asking = start(try contoso.client(browser, cache: mail))
        try await windows(1)
        let waiting = start(try contoso.client(browser, cache: files))
        try await Task.sleep(for: .seconds(1))
        #expect(browser.opened.count == 1)
        contoso.answerSignIn(in: browser, ["foci": "1"], claims: ["aud": "mail"])
        contoso.answerSignIn(in: browser, ["foci": "1"], claims: ["aud": "files"])
        browser.proceed()
        #expect(try await asking.value.source == .interactive)
        // It signed out, and only its own sign-in ends that.
        #expect(try await waiting.value.source == .interactive)
    }

    // MARK: - Waiting in vain

    @Test func `a request whose time is over gets the process that asks`() async throws {
        let (asking, waiting) = try await startTwo(try contoso.client(browser)) { $0.timeout = .seconds(1) }
        let busy = await failure(of: waiting)
        #expect(busy?.code == .interactionBusy)
        #expect(busy?.processID == getpid())
        #expect(busy.map { "\($0)" }?.contains("(process \(getpid()))") == true)
        asking.cancel()
        _ = await asking.result
    }

    @Test func `who was silent for five minutes is not waited for`() async throws {
        let asking = start(try contoso.client(browser))
        try await windows(1)
        contoso.clock.advance(by: 299)
        let client = try contoso.client(browser)
        #expect(await failure(of: start(client) { $0.timeout = .seconds(7) })?.code == .interactionBusy)
        contoso.clock.advance(by: 1)
        let began = ContinuousClock.now
        let busy = await failure(of: start(client) { $0.timeout = .seconds(60) })
        #expect(busy?.code == .interactionBusy && busy?.processID == getpid())
        #expect(began.duration(to: .now) < .seconds(20))
        asking.cancel()
        _ = await asking.result
    }

    @Test func `who asks says so again and again`() async throws {
        func interaction(_ timeout: Duration) -> Interaction {
            contoso.cache.interaction(
                at: "https://idp.example",
                environment: "idp.example",
                timeout: timeout,
                renewalInterval: .milliseconds(50)
            )
        }
        guard case .ask(let lease) = try await interaction(.seconds(1)).turn() else {
            Issue.record("nobody else asks")
            return
        }
        contoso.clock.advance(by: 3600)
        try await Task.sleep(for: .milliseconds(500))
        let began = ContinuousClock.now
        guard case .busy(let process) = try await interaction(.seconds(8)).turn() else {
            Issue.record("there are two who ask")
            return
        }
        #expect(process == getpid())
        #expect(began.duration(to: .now) > .seconds(7), "it was not waited for")
        lease.release()
        guard case .ask = try await interaction(.seconds(1)).turn() else {
            Issue.record("the lease was not released")
            return
        }
    }

    @Test func `who did not look while others were asked misses no account that signed in`() async throws {
        func interaction() -> Interaction {
            contoso.cache.interaction(
                at: Authority.common.url,
                environment: "login.microsoftonline.com",
                timeout: .seconds(20)
            )
        }
        func asked(_ answer: (InteractionLease) async throws -> Void) async throws {
            guard case .ask(let lease) = try await interaction().turn() else { throw Unexpected() }
            try await answer(lease)
            lease.release()
        }
        func signIn(_ name: String) async throws {
            try await asked { lease in
                let info = base64URL(json(["uid": name, "utid": Contoso.tenant]))
                let claims = ["preferred_username": name, "sub": name, "oid": name]
                var request = TokenRequest(
                    environment: "login.microsoftonline.com",
                    tenant: "common",
                    scopes: ["User.Read"],
                    grant: .interactive
                )
                request.interaction = lease.subject
                let tokens = contoso.tokens("1", ["client_info": info], claims: claims)
                _ = try await contoso.cache.save(TokenResponse(json: Array(tokens.utf8)), for: request)
            }
        }
        let waiting = interaction()
        try await asked { _ in
            // It waits, and is then held up.
            let look = Task { try await waiting.turn() }
            try await Task.sleep(for: .milliseconds(300))
            look.cancel()
            await #expect(throws: TokenCacheError.self) { try await look.value }
        }
        try await signIn("ada")
        try await signIn("bob")
        try await asked { await $0.decline() }
        for name in ["ada", "bob"] {
            guard case .signedIn(let account) = try await waiting.turn() else { throw Unexpected() }
            #expect(account.username == name)
        }
        guard case .declined = try await waiting.turn() else { throw Unexpected() }
    }

    private struct Unexpected: Error {}

    @Test func `no window is opened for a tenth of the time`() async throws {
        let client = try contoso.client(browser)
        let both = (0..<2).map { _ in start(client) { $0.timeout = .seconds(4) } }
        var codes: Set<String> = []
        for task in both { codes.insert(await failure(of: task)?.code.name ?? "") }
        #expect(codes == ["timeout", "interactionBusy"])
        #expect(browser.opened.count == 1)
    }
}

/// A folder that goes with its owner.
private final class TemporaryFolder: Sendable {
    let path = FileManager.default.temporaryDirectory.appending(path: "interaction-\(UUID())").path()

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
