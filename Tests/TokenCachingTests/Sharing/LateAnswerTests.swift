import RecordStorage
import Synchronization
import Testing

@testable import TokenCaching

@Suite("What came of a request is told however long it took", .timeLimit(.minutes(10)))
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
        store = WatchedStore(MemoryStore(group.backing))
        cache = try group.cache(store: store)
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
                return try TestResponse.signIn(clientInfo: ["uid": "x", "utid": "y"]).outcome
            case .refused: return .refused(error: "interaction_required")
            case .dead: return .refused(error: "invalid_grant", suberror: "bad_token")
            case .unavailable: return .unavailable
            case .thrown: throw Trouble()
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
        arguments: Answer.allCases
    )
    func time(of answer: Answer) throws {
        for isApplication in [false, true] {
            let limit = Mutex<Deadline?>(nil)
            if isApplication {
                _ = try? cache.acquireSynchronously(application, timeout: .seconds(1)) {
                    try self.answer(answer, limit)
                }
            } else {
                _ = try? cache.renewSynchronously(query, timeout: .seconds(1)) { _ in try self.answer(answer, limit) }
            }
            let deadlines = store.order { $0.deadlines }
            let earliest = try #require(limit.withLock { $0 })
            #expect(!deadlines.isEmpty && deadlines.allSatisfy { $0 > earliest }, "of an application: \(isApplication)")
        }
    }

    @Test(
        "a token that was just stored is handed out where nobody can look just now",
        arguments: [StorageError.Code.busy, .timeout]
    )
    func unreadable(code: StorageError.Code) throws {
        for isApplication in [false, true] {
            store.order { orders in
                orders.refreshError = nil
                orders.afterCommit = { [store] in store.order { $0.refreshError = StorageError(code) } }
            }
            let result =
                if isApplication {
                    try group.cache(store: store).acquireSynchronously(application) { try Answer.tokens.outcome() }
                } else {
                    try cache.renewSynchronously(query) { _ in try Answer.tokens.outcome() }
                }
            guard case .valid(let token) = result else { throw Unexpected() }
            #expect(try token.secretString == "new")
        }
    }
}
