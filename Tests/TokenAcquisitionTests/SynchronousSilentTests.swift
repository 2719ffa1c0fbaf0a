// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing
import TokenCaching

@testable import TokenAcquisition

@Suite struct SynchronousSilentTests {
    let contoso: Contoso
    let account: Account

    init() throws {
        contoso = try Contoso()
        account = try contoso.signIn()
    }

    private func silent(
        _ change: (inout SilentRequest) -> Void = { _ in }
    ) throws -> @Sendable () -> Result<AuthenticationResult, AcquisitionError> {
        var request = SilentRequest(scopes: ["User.Read"], account: account)
        change(&request)
        let (client, prepared) = (contoso.client, try contoso.client.prepare(request))
        return {
            do throws(AcquisitionError) {
                return .success(try client.acquireTokenSilentSynchronously(prepared))
            } catch {
                return .failure(error)
            }
        }
    }

    @Test func `a valid token comes from the cache, without a request`() async throws {
        let result = try await onThread(silent()).get()
        #expect(result.source == .cache)
        #expect(try result.accessToken.secretString == "at-1")
        // Not inherited by the closure: the forms that block.
        let owner = await onThread {
            try? (result.account()?.id, result.tenantProfile()?.username, result.idToken()?.claims?.name)
        }
        #expect(owner.map { $0 == (account.id, "ada@contoso.example", "Ada") } == true)
        #expect(contoso.server.posts.isEmpty && contoso.server.gets.isEmpty)
    }

    @Test func `an expired token is renewed`() async throws {
        contoso.clock.advance(by: 4000)
        contoso.server.answer(contoso.tokens("2"))
        let result = try await onThread(silent()).get()
        #expect(result.source == .renewal)
        #expect(try result.accessToken.secretString == "at-2")
    }

    @Test func `an ageing token is handed out, and renewed in the background`() async throws {
        let contoso = try Contoso()
        let account = try contoso.signIn("1", ["refresh_in": 1000])
        contoso.clock.advance(by: 1500)
        contoso.server.answer(contoso.tokens("2"))
        let (client, prepared) = (
            contoso.client, try contoso.client.prepare(SilentRequest(scopes: ["User.Read"], account: account))
        )
        let secret = await onThread { try? client.acquireTokenSilentSynchronously(prepared).accessToken.secretString }
        #expect(secret == "at-1")
        await client.background.settle()
        #expect(try await contoso.silent(account).accessToken.secretString == "at-2")
    }

    @Test func `errors are those of the asynchronous form`() async throws {
        contoso.clock.advance(by: 4000)
        contoso.server.answer(status: 400, json(["error": "invalid_grant"]))
        let outcome = await onThread(try silent())
        let error = #expect(throws: AcquisitionError.self) { try outcome.get() }
        #expect(error?.code == .interactionRequired)
        #expect(error?.correlationID != nil)
    }

    @Test func `a server that does not answer keeps the thread no longer than the timeout`() async throws {
        contoso.clock.advance(by: 4000)
        let gate = Gate()
        contoso.server.answer { _ throws(TransportError) in
            await gate.wait()
            throw TransportError(.connectionClosed, mayHaveBeenSent: true)
        }
        let start = ContinuousClock.now
        let outcome = await onThread(try silent { $0.timeout = .milliseconds(300) })
        #expect(throws: AcquisitionError(.timeout)) { try outcome.get() }
        #expect(start.duration(to: .now) < .seconds(5))
        gate.open()
    }

    @Test func `callers that wait hold no thread that tasks need`() async throws {
        contoso.clock.advance(by: 4000)
        let gate = Gate()
        let tokens = contoso.tokens("2")
        contoso.server.answer { _ throws(TransportError) in
            await gate.wait()
            return TransportResponse(status: 200, body: Array(tokens.utf8))
        }
        let callers = 2 * ProcessInfo.processInfo.activeProcessorCount + 2
        let call = try silent()
        let waiting = Task {
            await withTaskGroup(of: String?.self) { group in
                for _ in 0..<callers {
                    group.addTask { await onThread { try? call().get().accessToken.secretString } }
                }
                return await group.reduce(into: [String?]()) { $0.append($1) }
            }
        }
        // This task would never get here if the threads of the pool were waiting.
        while contoso.server.posts.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        gate.open()
        #expect(await waiting.value == Array(repeating: "at-2", count: callers))
        #expect(contoso.server.posts.count == 1)
    }
}

/// Runs synchronous code on a thread of its own.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: body()) }
    }
}
