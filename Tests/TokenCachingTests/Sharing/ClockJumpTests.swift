// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import TokenCaching
@testable import TokenCachingTestSupport

/// The wall clock may jump by years between two calls, and differ between two processes.
@Suite("Clocks that jump", .timeLimit(.minutes(10)))
struct ClockJumpTests {
    private static let tenYears: Int64 = 10 * 365 * 86_400

    let folder = ScratchFolder()
    let query = MatchingCase.query("user.read")

    private func cache(_ clock: TestClock) throws -> TokenCache {
        try TokenCache(
            group: "tests",
            clientID: TestGroup.client,
            root: folder.path,
            options: TokenCacheOptions(clock: clock.wallClock, timeout: .seconds(20))
        )
    }

    private func renewed(_ token: String) throws -> RenewalOutcome {
        .response(try TokenResponse(json: TestResponse.signIn(accessToken: token, refreshToken: "rt-" + token).body))
    }

    @Test("after a jump in either direction a token is renewed once and is valid", arguments: [tenYears, -tenYears])
    func renewal(jump: Int64) throws {
        let clock = TestClock()
        let (one, two) = (try cache(clock), try cache(clock))
        try TestResponse.signIn().save(in: one)
        #expect(try two.token(for: query).summary() == "valid at")
        for (round, step) in [jump, -jump, -jump, jump].enumerated() {
            clock.advance(by: step)
            #expect(try two.token(for: query).summary().hasPrefix("renew"), "round \(round)")
            let first = try one.renewSynchronously(query) { _ in try renewed("new\(round)") }
            #expect(try first.summary() == "valid new\(round)")
            let second = try two.renewSynchronously(query) { _ in
                Issue.record("renewed twice")
                return .unavailable
            }
            #expect(try second.summary() == "valid new\(round)")
        }
    }

    @Test("a jump prolongs no wait and cuts none short", arguments: [tenYears, -tenYears])
    func waiting(jump: Int64) throws {
        let clock = TestClock()
        let (one, two) = (try cache(clock), try cache(clock))
        try TestResponse.signIn().with("access_token", nil).save(in: one)
        _ = try one.renewSynchronously(query) { _ in
            let start = ContinuousClock.now
            let error = #expect(throws: TokenCacheError.self) {
                clock.advance(by: jump)
                _ = try two.renewSynchronously(query, timeout: .milliseconds(200)) { _ in .unavailable }
            }
            #expect(error?.code == .renewalBusy)
            #expect(start.duration(to: .now) >= .milliseconds(200))
            #expect(start.duration(to: .now) < .seconds(20))
            return try renewed("new")
        }
        #expect(try two.token(for: query).summary() == "valid new")
    }

    @Test("processes whose clocks are ten years apart see each other's saves and sign-outs")
    func apart() throws {
        let (past, future) = (TestClock(at: 1_400_000_000), TestClock(at: 1_400_000_000 + 2 * Self.tenYears))
        let (old, new) = (try cache(past), try cache(future))
        for round in 0..<5 {
            let account = try #require(try TestResponse.signIn(accessToken: "n\(round)").save(in: new))
            // Saved in the future, as it seems: not to be trusted, but there is a refresh token.
            #expect(try old.token(for: query).summary().hasPrefix("renew"))
            #expect(try new.token(for: query).summary() == "valid n\(round)")
            try TestResponse.signIn(accessToken: "o\(round)", refreshToken: "rt-o\(round)").save(in: old)
            #expect(try old.token(for: query).summary() == "valid o\(round)")
            #expect(try new.token(for: query).summary() == "renew rt-o\(round)")
            try (round % 2 == 0 ? old : new).signOut(account)
            #expect(try old.token(for: query).summary() == "interaction signedOut")
            #expect(try new.token(for: query).summary() == "interaction signedOut")
        }
    }

    @Test("a sign-out stays, however the clock jumps after it", arguments: [tenYears, -tenYears])
    func signOut(jump: Int64) throws {
        let clock = TestClock()
        let (one, two) = (try cache(clock), try cache(clock))
        let account = try #require(try TestResponse.signIn().with("access_token", nil).save(in: one))
        let error = #expect(throws: TokenCacheError.self) {
            _ = try one.renewSynchronously(query) { _ in
                clock.advance(by: jump)
                try two.signOut(account)
                clock.advance(by: -jump)
                return try renewed("new")
            }
        }
        #expect(error?.code == .signedOut)
        for step in [jump, -jump] {
            clock.advance(by: step)
            #expect(try one.token(for: query).summary() == "interaction signedOut")
            #expect(try two.accounts().isEmpty)
        }
    }
}
