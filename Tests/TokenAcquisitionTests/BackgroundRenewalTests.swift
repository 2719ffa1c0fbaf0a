// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing
import TokenCaching

@testable import TokenAcquisition

@Suite struct BackgroundRenewalTests {
    /// A client with a token that the server wants renewed after 1000 s.
    private func ageing(_ change: (inout ClientConfiguration) -> Void = { _ in }) throws -> (Contoso, Account) {
        let contoso = try Contoso(change)
        let account = try contoso.signIn("1", ["refresh_in": 1000])
        contoso.clock.advance(by: 1500)
        return (contoso, account)
    }

    @Test func `a token that the server wants renewed is handed out, and renewed meanwhile`() async throws {
        let (contoso, account) = try ageing()
        contoso.server.answer(contoso.tokens("2"))
        #expect(try await contoso.silent(account).accessToken.secretString == "at-1")
        await contoso.client.background.settle()
        #expect(try await contoso.silent(account).accessToken.secretString == "at-2")
        #expect(contoso.server.posts.count == 1)
    }

    @Test func `it can be turned off`() async throws {
        let (contoso, account) = try ageing { $0.renewsInBackground = false }
        #expect(try await contoso.silent(account).accessToken.secretString == "at-1")
        await contoso.client.background.settle()
        #expect(contoso.server.posts.isEmpty)
    }

    @Test func `a failure changes no answer, and is not repeated at once`() async throws {
        let (contoso, account) = try ageing()
        contoso.server.answer(failure: TransportError(.connectionClosed, mayHaveBeenSent: true))
        for _ in 0..<10 {
            #expect(try await contoso.silent(account).source == .cache)
            await contoso.client.background.settle()
        }
        #expect(contoso.server.posts.count == 1)
        contoso.clock.advance(by: 300)
        contoso.server.answer(failure: TransportError(.connectionClosed, mayHaveBeenSent: true))
        _ = try await contoso.silent(account)
        await contoso.client.background.settle()
        #expect(contoso.server.posts.count == 2)
    }

    @Test func `after a failure none starts for five minutes, and a clock that was set back extends no rest`() async {
        let clock = TestClock()
        let renewals = BackgroundRenewals(clock: clock.wallClock)
        let key = BackgroundRenewals.Key(
            refreshToken: BackgroundRenewals.RefreshTokenKey(account: nil, environment: "idp.example"),
            scopes: []
        )
        let attempts = Mutex(0)
        func isTried() async -> Bool {
            let before = attempts.withLock { $0 }
            renewals.start(key) {
                attempts.withLock { $0 += 1 }
                return false
            }
            await renewals.settle()
            return attempts.withLock { $0 } > before
        }
        #expect(await isTried())
        for _ in 0..<2 {
            clock.advance(by: 299)
            #expect(await !isTried())
            clock.advance(by: 1)
            #expect(await isTried())
        }
        clock.advance(by: -86_400)
        #expect(await isTried())
    }

    @Test func `many hits start one renewal`() async throws {
        let (contoso, account) = try ageing()
        let gate = Gate()
        let tokens = contoso.tokens("2")
        contoso.server.answer { _ throws(TransportError) in
            await gate.wait()
            return TransportResponse(status: 200, body: Array(tokens.utf8))
        }
        for _ in 0..<20 { #expect(try await contoso.silent(account).accessToken.secretString == "at-1") }
        gate.open()
        await contoso.client.background.settle()
        #expect(contoso.server.posts.count == 1)
    }

    @Test func `a closed client renews nothing in the background`() async throws {
        let (contoso, account) = try ageing()
        await contoso.client.close()
        #expect(try await contoso.silent(account).accessToken.secretString == "at-1")
        await contoso.client.background.settle()
        #expect(contoso.server.posts.isEmpty)
    }

    @Test func `closing waits for the answer to a refresh token that was sent`() async throws {
        let (contoso, account) = try ageing()
        let (tokens, sent) = (contoso.tokens("2"), Gate())
        contoso.server.answer { _ throws(TransportError) in
            sent.open()
            do {
                try await Task.sleep(for: .milliseconds(200))
            } catch {
                throw TransportError(.cancelled, mayHaveBeenSent: true)
            }
            return TransportResponse(status: 200, body: Array(tokens.utf8))
        }
        #expect(try await contoso.silent(account).accessToken.secretString == "at-1")
        await sent.wait()
        await contoso.client.close()
        #expect(try await contoso.silent(account).accessToken.secretString == "at-2")
        #expect(contoso.server.posts.count == 1)
    }

    @Test func `closing waits for what a renewal starts while it is being closed`() async {
        let clock = TestClock()
        let renewals = BackgroundRenewals(clock: clock.wallClock)
        let refreshToken = BackgroundRenewals.RefreshTokenKey(account: nil, environment: "idp.example")
        let isRunning = Gate()
        let start = clock.wallClock.now()
        @Sendable func save() async {
            while !Task.isCancelled { await Task.yield() }
            clock.advance(by: 1)
        }
        renewals.start(BackgroundRenewals.Key(refreshToken: refreshToken, scopes: [])) {
            isRunning.open()
            while !Task.isCancelled { await Task.yield() }
            _ = renewals.endingWhenClosed { Task { await save() } }
            return false
        }
        await isRunning.wait()
        await renewals.close()
        #expect(clock.wallClock.now() > start)
    }

    @Test func `a failure for some scopes keeps no others from being renewed`() async throws {
        let (contoso, account) = try ageing()
        contoso.server.answer(status: 400, json(["error": "invalid_scope"]))
        #expect(try await contoso.silent(account).source == .cache)
        await contoso.client.background.settle()
        contoso.server.answer(contoso.tokens("2", ["scope": "openid profile"]))
        #expect(try await contoso.silent(account, scopes: ["openid"]).accessToken.secretString == "at-1")
        await contoso.client.background.settle()
        #expect(try await contoso.silent(account, scopes: ["openid"]).source == .cache)
        await contoso.client.background.settle()
        #expect(contoso.server.posts.map { $0.form["scope"]?.split(separator: " ").first } == ["User.Read", "openid"])
    }

    @Test func `after an outage of many accounts eight renewals run at once, and the others have their turn`()
        async throws
    {
        let clock = TestClock()
        let renewals = BackgroundRenewals(clock: clock.wallClock)
        func start(_ number: Int, _ isDone: @escaping @Sendable () async -> Bool) {
            let refreshToken = BackgroundRenewals.RefreshTokenKey(account: nil, environment: "\(number).example")
            renewals.start(BackgroundRenewals.Key(refreshToken: refreshToken, scopes: []), isDone)
        }
        for number in 0..<300 {
            start(number) { false }
            await renewals.settle()
        }
        clock.advance(by: 4000)
        let gate = Gate()
        let running = Mutex(0)
        for number in 0..<300 {
            start(number) {
                running.withLock { $0 += 1 }
                await gate.wait()
                return true
            }
        }
        gate.open()
        await renewals.settle()
        #expect(running.withLock { $0 } == 8)
        for number in 300..<308 {
            start(number) {
                running.withLock { $0 += 1 }; return true
            }
        }
        await renewals.settle()
        #expect(running.withLock { $0 } == 16)
    }
}

/// Holds tasks back until it is opened.
final class Gate: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    func wait() async {
        for await _ in stream {}
    }

    func open() {
        continuation.finish()
    }
}
