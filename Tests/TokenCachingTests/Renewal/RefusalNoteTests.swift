// SPDX-License-Identifier: Apache-2.0

import GroupRecords
import Programs
import RecordStorage
import Synchronization
import Testing
import UnifiedSchema

@testable import TokenCaching
@testable import TokenCachingTestSupport

/// All processes of the group answer by what one of them was told.
@Suite("Notes of refusals", .timeLimit(.minutes(10)))
struct RefusalNoteTests: RefusalScene {
    let group: TestGroup
    let cache: TokenCache

    init() throws {
        group = try TestGroup()
        cache = try group.cache()
    }

    // MARK: - What needs the person

    @Test("for two minutes a request that needs the user is not repeated, and all callers get the server's answer")
    func person() throws {
        try signIn()
        var said = Self.interaction
        said.errorCodes = [50076]
        said.claims = #"{"access_token":{}}"#
        said.correlationID = "c"
        said.traceID = "t"
        said.status = 400
        #expect(try renew(mail, .refused(said)) == "interaction renewalRefused")
        for seconds in [0, 60, 119] as [Int64] {
            group.clock.now = TestClock().now + seconds
            let decision = try group.cache().renewSynchronously(mail) { _ in .unavailable }
            guard case .interactionRequired(let told) = decision else { throw Unexpected() }
            #expect(told.reason == .renewalRefused && told.errorResponse == said)
        }
        group.clock.now = TestClock().now + 120
        #expect(try renew(mail, renewed("new", scope: "Mail.Send")) == "valid new")
    }

    @Test("the same account gets tokens for anything else meanwhile, and lookups read no note")
    func otherwise() throws {
        try signIn()
        #expect(try renew(mail, .refused(Self.interaction)) == "interaction renewalRefused")
        #expect(try cache.token(for: mail).summary() == "renew rt")
        #expect(try renew(query, in: group.cache(), renewed("new", refreshToken: nil)) == "valid new")
        #expect(try unasked(mail) == "interaction renewalRefused")
    }

    @Test(
        "other requests are sent",
        arguments: ["client", "tenant", "scopes", "claims", "type", "key", "apart", "account"]
    )
    func key(difference: String) throws {
        try signIn(family: "1")
        try group.put(.refreshToken("theirs", account: "x.y"))
        #expect(try renew(mail, .refused(Self.interaction)) == "interaction renewalRefused")
        #expect(try unasked(mail) == "interaction renewalRefused")
        var options = TokenQueryOptions()
        if difference == "claims" { options.claimsChallenge = #"{"access_token":{}}"# }
        if difference == "type" { options.tokenType = "pop" }
        if difference == "key" { options.keyID = "k" }
        if difference == "apart" { options.applicationIdentifier = "app" }
        let other = MatchingCase.query(
            difference == "scopes" ? "mail.read" : "mail.send",
            account: difference == "account" ? "x.y" : TestGroup.account,
            tenant: difference == "tenant" ? "guest" : "utid",
            options: options
        )
        let asking = try group.cache(client: difference == "client" ? "client-b" : TestGroup.client)
        #expect(try isAsked(other, in: asking))
    }

    @Test("the order, case and repetition of scopes make no difference, nor does a request for openid")
    func spelling() throws {
        try signIn()
        let one = TokenQuery(accountID: TestGroup.accountID, scopes: ["Mail.Send", "user.read"], tenant: "utid")
        #expect(try renew(one, .refused(Self.interaction)) == "interaction renewalRefused")
        let other = TokenQuery(
            accountID: "UID.utid",
            scopes: ["USER.READ openid", "mail.send", "mail.send"],
            tenant: "UTID",
            environment: "login.windows.net"
        )
        #expect(try unasked(other) == "interaction renewalRefused")
    }

    @Test("a token that only ages is handed out as it is")
    func ageing() throws {
        try TestResponse.signIn().with("refresh_in", 1).save(in: cache)
        group.clock.advance(by: 1)
        #expect(try renew(query, .refused(Self.interaction)) == "valid at renew")
        #expect(try unasked(query) == "valid at renew")
    }

    @Test("a forced renewal considers only refusals since the call began")
    func forced() throws {
        try signIn()
        #expect(try renew(query, .refused(Self.interaction)) == "interaction renewalRefused")
        #expect(try unasked(query) == "interaction renewalRefused")
        #expect(try renew(Self.forced, .refused(Self.interaction)) == "interaction renewalRefused")
        #expect(try renew(Self.forced, in: group.cache(), renewed("new")) == "valid new")
    }

    private static var forced: TokenQuery {
        MatchingCase.query("user.read", options: TokenQueryOptions(forceRefresh: true))
    }

    @Test("a forced renewal during another one gets the answer of that one")
    func forcedMeanwhile() async throws {
        try signIn()
        let (store, other) = try group.watchedCache()
        let running = Mutex<Task<String, any Error>?>(nil)
        let decision = try await cache.renew(Self.forced) { _ in
            let task = Task {
                try await other.renew(Self.forced) { _ in
                    Issue.record("a server was asked")
                    return .unavailable
                }.summary()
            }
            running.withLock { $0 = task }
            // Not before the other one has looked, and found the lease taken.
            try await untilTrue("the other one waits") { store.order { $0.leaseCount } >= 1 }
            return .refused(Self.interaction)
        }
        #expect(try decision.summary() == "interaction renewalRefused")
        let answer = try await running.withLock { $0 }?.value
        #expect(answer == "interaction renewalRefused")
    }

    // MARK: - Which token

    @Test("where the client's own token is refused, the family's is tried, once")
    func family() throws {
        try signIn("family", family: "1", in: group.cache(client: "member"))
        try group.put(.refreshToken("own", family: "1"))
        var spent: [String] = []
        let decision = try cache.renewSynchronously(mail) { token in
            spent.append(try token.secretString)
            return spent.count == 1 ? .refused(Self.interaction) : try renewed("new", scope: "Mail.Send")
        }
        #expect(spent == ["own", "family"])
        #expect(try decision.summary() == "valid new")
        // The client's own stays refused.
        #expect(try notes().map(\.kind) == [.requestOfOwnTokens])
    }

    @Test("if the family's is refused too, that is reported, and neither is tried again")
    func familyRefused() throws {
        try signIn("family", family: "1", in: group.cache(client: "member"))
        try group.put(.refreshToken("own", family: "1"))
        var spent: [String] = []
        let decision = try cache.renewSynchronously(mail) { token in
            spent.append(try token.secretString)
            return .refused(error: spent.count == 1 ? "interaction_required" : "consent_required")
        }
        #expect(spent == ["own", "family"])
        guard case .interactionRequired(let told) = decision else { throw Unexpected() }
        #expect(told.errorResponse?.error == "consent_required")
        #expect(try unasked(mail) == "interaction renewalRefused")
    }

    @Test(
        "where the request is wrong, or the device has to be managed, the family's is not tried",
        arguments: [
            ("invalid_scope", nil), ("invalid_client", nil), ("unauthorized_client", "protection_policy_required"),
        ]
            as [(String, String?)]
    )
    func wrongRequest(error: String, suberror: String?) throws {
        try signIn("family", family: "1", in: group.cache(client: "member"))
        try group.put(.refreshToken("own", family: "1"))
        var count = 0
        let decision = try cache.renewSynchronously(mail) { _ in
            count += 1
            return .refused(error: error, suberror: suberror)
        }
        #expect(try decision.summary() == "interaction renewalRefused")
        #expect(count == 1)
    }

    @Test(
        "a bare invalid_grant outside Entra blocks the token for the client until a newer one comes",
        arguments: ["contoso.b2clogin.com", "idp.example.org"]
    )
    func block(host: String) throws {
        try group.put(TestEntry.refreshToken("old", environment: host).under("k"))
        let asked = MatchingCase.query("a", environment: host)
        let other = MatchingCase.query("b", environment: host)
        #expect(try renew(asked, .refused(error: "invalid_grant")) == "interaction renewalRefused")
        // For no other scopes either, and not after an hour.
        group.clock.advance(by: 100_000)
        #expect(try unasked(asked) == "interaction renewalRefused")
        #expect(try unasked(other) == "interaction renewalRefused")
        #expect(try cache.token(for: asked).summary() == "renew old")
        try group.put(TestEntry.refreshToken("newer", environment: host).under("k"))
        #expect(try isAsked(other))
    }

    @Test("if another account's tokens arrive, that is reported, and the refresh token is not redeemed again")
    func mismatch() throws {
        try signIn()
        let other = TestResponse.signIn(
            accessToken: "theirs",
            refreshToken: "their rt",
            clientInfo: ["uid": "x", "utid": "y"]
        )
        let decision = try cache.renewSynchronously(query) { _ in .response(try TokenResponse(json: other.body)) }
        #expect(try decision.summary() == "interaction accountMismatch")
        #expect(try unasked(query) == "interaction accountMismatch")
        let theirs = MatchingCase.query("user.read", account: "x.y")
        #expect(try cache.token(for: theirs).summary() == "interaction accountUnknown")
        try signIn("newer")
        #expect(try renew(query, renewed("new")) == "valid new")
    }

    @Test("a block leaves with its token, at the next commit")
    func blockLeaves() throws {
        let host = "contoso.b2clogin.com"
        try group.put(TestEntry.refreshToken("old", environment: host).under("k"))
        #expect(
            try renew(MatchingCase.query("a", environment: host), .refused(error: "invalid_grant"))
                == "interaction renewalRefused"
        )
        #expect(try notes().map(\.kind) == [.token])
        try group.put(TestEntry.refreshToken("newer", environment: host).under("k"))
        try signIn()
        #expect(try notes().isEmpty)
    }

    // MARK: - Bounds and bad input

    @Test(
        "where no note can be written, the call answers all the same, and this process remembers",
        arguments: [StorageError.Code.full, .readOnly, .busy]
    )
    func unwritten(code: StorageError.Code) throws {
        try signIn()
        let (store, cache) = try group.watchedCache()
        store.order { $0.refusal = StorageError(code) }
        #expect(try renew(mail, in: cache, .refused(Self.interaction)) == "interaction renewalRefused")
        #expect(try notes().isEmpty)
        #expect(try unasked(mail, in: cache) == "interaction renewalRefused")
        #expect(try isAsked(mail))
        group.clock.advance(by: 120)
        #expect(try isAsked(mail, in: cache))
    }

    @Test(
        "if the note of a reported refusal cannot be written, the process remembers it without an error",
        arguments: [StorageError.Code.full, .readOnly, .busy]
    )
    func unwrittenByHand(code: StorageError.Code) throws {
        try signIn()
        let (store, cache) = try group.watchedCache()
        guard case .renew(let token, _) = try cache.token(for: mail) else { throw Unexpected() }
        store.order { $0.refusal = StorageError(code) }
        #expect(try cache.noteRefusal(of: token, response: TokenErrorResponse(error: "interaction_required")) == .kept)
        #expect(try unasked(mail, in: cache) == "interaction renewalRefused")
        #expect(try isAsked(mail))
    }

    @Test("a forced renewal also ignores refusals that could not be written, and tries no token twice")
    func unwrittenAndForced() throws {
        try signIn("family", family: "1", in: group.cache(client: "member"))
        try group.put(.refreshToken("own", family: "1"))
        let (store, cache) = try group.watchedCache()
        store.order { $0.refusal = StorageError(.full) }
        let forced = MatchingCase.query("mail.send", options: TokenQueryOptions(forceRefresh: true))
        for _ in 0..<2 {
            var spent: [String] = []
            let decision = try cache.renewSynchronously(forced) { token in
                spent.append(try token.secretString)
                return .refused(Self.interaction)
            }
            #expect(try decision.summary() == "interaction renewalRefused")
            #expect(spent == ["own", "family"])
            #expect(try unasked(mail, in: cache) == "interaction renewalRefused")
        }
    }

    @Test("a partition has at most 64 notes: the oldest goes")
    func bound() throws {
        try signIn()
        for number in 0..<70 {
            let asked = MatchingCase.query("scope-\(number)")
            #expect(try renew(asked, .refused(Self.interaction)) == "interaction renewalRefused")
        }
        #expect(try notes().count == RefusalNote.limit)
        #expect(try unasked(MatchingCase.query("scope-69")) == "interaction renewalRefused")
        #expect(
            try renew(MatchingCase.query("scope-0"), in: group.cache(), renewed("x", scope: "scope-0")) == "valid x"
        )
    }

    @Test("notes that have ended leave at the next commit")
    func ended() throws {
        try signIn()
        for number in 0..<3 { _ = try renew(MatchingCase.query("scope-\(number)"), .refused(Self.interaction)) }
        group.clock.advance(by: 120)
        #expect(try notes().count == 3)
        #expect(try renew(query, renewed("new")) == "valid new")
        #expect(try notes().isEmpty)
    }

    @Test("a note has at most 4 KiB: claims that are too long are left out, and this process has them all the same")
    func long() throws {
        try signIn()
        var said = Self.interaction
        said.claims = String(repeating: "x", count: 5000)
        #expect(try renew(mail, .refused(said)) == "interaction renewalRefused")
        #expect(try #require(try notes().first?.encoded()).count <= RefusalNote.largest)
        func claims(_ cache: TokenCache) throws -> Int? {
            let decision = try cache.renewSynchronously(mail) { _ in .unavailable }
            guard case .interactionRequired(let told) = decision else { throw Unexpected() }
            return told.errorResponse?.claims?.utf8.count
        }
        #expect(try claims(cache) == 5000)
        #expect(try claims(group.cache()) == nil)
    }

    @Test("one from the future, or for longer than any server may ask, does not count, and stays")
    func future() throws {
        try signIn()
        let partition = try group.codec.partition(ofAccount: UTF8Text(TestGroup.account).bytes)
        let key = RefusalKey.request(asked(mail))
        let now = group.clock.now
        for (madeOn, until) in [(now + 1, now + 121), (now - 1, now + 3600), (now, .max), (.min, .max)] {
            let note = RefusalNote(
                .request,
                client: TestGroup.client,
                period: RefusalPeriod(madeOn: madeOn, until: until),
                response: Self.interaction
            )
            try put(note.encoded() ?? [], key, in: partition)
            #expect(try isAsked(mail))
        }
        #expect(try renew(query, renewed("new")) == "valid new")
        #expect(try notes().count == 1)
    }

    @Test(
        "a note that cannot be read counts as not being there, and is left alone",
        arguments: [[], [9], [1, 3, 1, 99], [1, 3, 0]] as [[UInt8]]
    )
    func damaged(content: [UInt8]) throws {
        try signIn()
        let partition = try group.codec.partition(ofAccount: UTF8Text(TestGroup.account).bytes)
        let key = RefusalKey.request(asked(query))
        try put(content, key, in: partition)
        #expect(try renew(query, in: group.cache(), renewed("new")) == "valid new")
        let contents = try MemoryStore(group.backing).contents(of: partition)
        #expect(contents.records.count(where: \.kind.isRefusal) == 1)
        #expect(try cache.token(for: query).summary() == "valid new")
    }
}
