// SPDX-License-Identifier: Apache-2.0

import RecordStorage
import Synchronization
import Testing

@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("The result of a request is returned however long it took", .timeLimit(.minutes(10)))
struct LateAnswerTests {
    let group: TestGroup
    let store: WatchedStore
    let cache: TokenCache
    let query = MatchingCase.query("user.read")
    let application = TokenQuery(
        applicationScopes: ["a/.default"],
        tenant: "utid",
        environment: "login.microsoftonline.com"
    )

    init() throws {
        group = try TestGroup()
        (store, cache) = try group.watchedCache()
        try TestResponse.signIn().with("access_token", nil).save(in: cache)
    }

    enum Answer: CaseIterable {
        case tokens, declined, otherAccount, refused, dead, unavailable, thrown

        fileprivate func outcome() throws -> RenewalOutcome {
            struct Trouble: Error {}
            let tokens = TestResponse.signIn(accessToken: "new", scope: "User.Read a/.default")
            switch self {
            case .tokens: return try tokens.outcome
            case .declined: return try tokens.with("scope", "other").outcome
            case .otherAccount:
                return try TestResponse.signIn(accessToken: "new", clientInfo: ["uid": "x", "utid": "y"]).outcome
            case .refused: return .refused(error: "interaction_required")
            case .dead: return .refused(error: "invalid_grant", suberror: "bad_token")
            case .unavailable: return try .httpResponse(status: 503, body: [], retryAfter: "7")
            case .thrown: throw Trouble()
            }
        }

        /// What the caller is told where nobody can look at the store any more.
        fileprivate func told(ofApplication isApplication: Bool) -> String {
            switch (self, isApplication) {
            case (.tokens, _): "valid new"
            case (.declined, false): "declined user.read with new"
            case (.declined, true), (.otherAccount, true): "declined a/.default with new"
            case (.otherAccount, false): "interaction accountMismatch"
            case (.refused, false): "interaction renewalRefused, saying interaction_required"
            // Whether there is another refresh token to spend nobody can say.
            case (.dead, false): "error busy, saying invalid_grant"
            case (.refused, true): "interaction applicationTokenMissing, saying interaction_required"
            case (.dead, true): "interaction applicationTokenMissing, saying invalid_grant"
            case (.unavailable, _): "error renewalUnavailable, saying 503, 7 s"
            case (.thrown, _): "error renewalFailed"
            }
        }
    }

    /// Answers after somebody else changed the group, so that the store is read again, and begins to note by when.
    private func answer(_ answer: Answer, _ limit: borrowing Mutex<Deadline?>) throws -> RenewalOutcome {
        try TestResponse.signIn(clientInfo: ["uid": "somebody", "utid": "else"]).save(in: group.cache())
        // As long as the call may wait for others, but counted from a later moment.
        limit.withLock { $0 = .after(.seconds(1)) }
        store.order { $0.deadlines = [] }
        return try answer.outcome()
    }

    @Test(
        "what is read and written after a request has a time of its own, beside that for waiting",
        arguments: Answer.allCases,
        [false, true]
    )
    func time(of answer: Answer, isApplication: Bool) throws {
        let limit = Mutex<Deadline?>(nil)
        _ = try? told(isApplication) { try self.answer(answer, limit) }
        let deadlines = store.order { $0.deadlines }
        let earliest = try #require(limit.withLock { $0 })
        #expect(!deadlines.isEmpty && deadlines.allSatisfy { $0 > earliest })
    }

    /// From now on nobody can tell what others changed, and somebody did.
    private func close(_ code: StorageError.Code) throws {
        try TestResponse.signIn(clientInfo: ["uid": "somebody", "utid": "else"]).save(in: group.cache())
        store.order { $0.refreshError = StorageError(code) }
    }

    @Test(
        "the result of a request is returned while the store cannot be read",
        arguments: Answer.allCases,
        [false, true]
    )
    func unreadable(answer: Answer, isApplication: Bool) throws {
        let told = try told(isApplication) {
            try close(.busy)
            return try answer.outcome()
        }
        #expect(told == answer.told(ofApplication: isApplication))
    }

    @Test(
        "an aging token is returned if the request for a new one fails and the store cannot be read",
        arguments: [Answer.refused, .dead, .unavailable, .thrown, nil],
        [StorageError.Code.busy, .timeout]
    )
    func ageing(answer: Answer?, code: StorageError.Code) throws {
        try TestResponse.signIn().with("refresh_in", 1).save(in: cache)
        group.clock.advance(by: 1)
        let told = try told(false) {
            try close(code)
            return try answer?.outcome() ?? TestResponse.signIn(accessToken: nil, refreshToken: "rt2").outcome
        }
        #expect(told == "valid at renew")
    }

    @Test(
        "a response without an access token is no error if the cache cannot be read",
        arguments: [StorageError.Code.busy, .timeout]
    )
    func nothingGranted(code: StorageError.Code) throws {
        let told = try told(false) {
            try close(code)
            return try TestResponse.signIn(accessToken: nil, refreshToken: "rt2").outcome
        }
        #expect(told == "error \(code)")
    }

    /// What comes of a call that asks a server, with what the server said.
    private func told(_ isApplication: Bool, _ asking: () throws -> RenewalOutcome) throws -> String {
        do {
            let result =
                if isApplication {
                    try cache.acquireApplicationTokenSynchronously(
                        application,
                        timeout: .seconds(1),
                        requesting: asking
                    )
                } else {
                    try cache.renewSynchronously(query, timeout: .seconds(1)) { _ in try asking() }
                }
            guard case .interactionRequired(let told) = result else { return try result.summary() }
            return try result.summary() + saying(told.errorResponse)
        } catch let error as TokenCacheError {
            return "error \(error.code)" + saying(error.errorResponse)
        }
    }

    private func saying(_ response: TokenErrorResponse?) -> String {
        guard let response else { return "" }
        let said = response.error.isEmpty ? response.status.map(String.init) ?? "" : response.error
        return ", saying \(said)" + (response.retryAfter.map { ", \($0.components.seconds) s" } ?? "")
    }
}
