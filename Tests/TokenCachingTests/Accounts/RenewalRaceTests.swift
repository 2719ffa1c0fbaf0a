// SPDX-License-Identifier: Apache-2.0

import Testing
import UnifiedSchema

@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("A renewal that something overtook")
struct RenewalRaceTests {
    let group: TestGroup
    let cache: TokenCache
    let query = MatchingCase.query("user.read", options: TokenQueryOptions(forceRefresh: true))

    init() throws {
        group = try TestGroup()
        cache = try group.cache()
    }

    private func handOut() throws -> RefreshToken { try cache.refreshToken(for: query) }

    private func save(_ token: RefreshToken, family: String? = nil) throws {
        let response = TestResponse.signIn(accessToken: "renewed", refreshToken: "rotated", family: family)
        try cache.save(
            try TokenResponse(json: response.body),
            for: TokenRequest(renewing: token, scopes: ["User.Read"])
        )
    }

    private func tokens() throws -> [String] {
        try group.secrets { $0 != .idToken }
    }

    enum Step: CustomStringConvertible {
        case signOut(String)
        case signIn(String)
        case wipe(String)
        case clear(String)
        case signOutOfAnother
        case wipeAnother
        case renew(String)
        case renewInFamily(String)

        var description: String {
            switch self {
            case .signOut(let client): "\(client) signs out"
            case .signIn(let client): "\(client) signs in"
            case .wipe(let client): "\(client) wipes the account"
            case .clear(let client): "\(client) clears the group"
            case .signOutOfAnother: "client-a signs out of another account"
            case .wipeAnother: "client-a wipes another account"
            case .renew(let client): "\(client) renews"
            case .renewInFamily(let client): "\(client) renews the family's token"
            }
        }

        func run(in group: TestGroup) throws {
            switch self {
            case .signOut(let client): try group.cache(client: client).signOut(accountID: TestGroup.accountID)
            case .signIn(let client): try TestResponse.signIn().save(in: try group.cache(client: client))
            case .wipe(let client): try group.cache(client: client).wipe(accountID: TestGroup.accountID)
            case .clear(let client): try group.cache(client: client).clearAll()
            case .signOutOfAnother: try group.cache().signOut(accountID: "x.y")
            case .wipeAnother: try group.cache().wipe(accountID: "x.y")
            case .renew(let client):
                try TestResponse.signIn().renewal.save(in: try group.cache(client: client))
            case .renewInFamily(let client):
                try TestResponse.signIn(family: "1").renewal.save(in: try group.cache(client: client))
            }
        }
    }

    /// What happened before the token was handed out, what while it was spent, and whether the renewal is stored.
    static let races: [([Step], [Step], Bool)] = [
        ([], [], true),
        ([], [.signOut("client-a")], false),
        ([], [.signOut("client-a"), .signIn("client-a")], false),
        ([], [.signOut("other")], true),
        ([], [.wipe("client-a")], false),
        ([], [.wipe("other")], false),
        ([], [.wipe("other"), .signIn("client-a")], false),
        ([], [.clear("client-a")], false),
        ([], [.clear("other")], false),
        ([], [.clear("other"), .signIn("client-a")], false),
        ([], [.signOutOfAnother], true),
        ([], [.wipeAnother], true),
        ([], [.renew("client-a")], true),
        ([], [.signIn("client-a")], true),
        ([.signOut("client-a"), .signIn("client-a")], [], true),
        ([.wipe("other"), .signIn("client-a")], [], true),
        ([.clear("other"), .signIn("client-a")], [], true),
        ([.signOut("client-a"), .signIn("client-a")], [.signOut("client-a")], false),
        ([.clear("other"), .signIn("client-a")], [.signOut("other"), .wipeAnother], true),
    ]

    @Test("is stored only where nothing was removed that concerns it", arguments: 0..<races.count)
    func race(index: Int) throws {
        let (before, meanwhile, isStored) = Self.races[index]
        try TestResponse.signIn().save(in: cache)
        for step in before { try step.run(in: group) }
        let token = try handOut()
        for step in meanwhile { try step.run(in: group) }
        let left = try tokens()
        if isStored {
            try save(token)
            #expect(try tokens().contains("renewed"), "\(before), \(meanwhile)")
        } else {
            let error = #expect(throws: TokenCacheError.self) { try save(token) }
            #expect(error?.code == .signedOut)
            #expect(try tokens() == left, "\(before), \(meanwhile)")
        }
    }

    @Test("of a client that only had the family's token is refused after a wipe by another client")
    func memberWithoutState() throws {
        try group.put(.account(), .refreshToken(client: "b", family: "1"))
        let token = try handOut()
        try group.cache(client: "b").wipe(accountID: TestGroup.accountID)
        let error = #expect(throws: TokenCacheError.self) { try save(token, family: "1") }
        #expect(error?.code == .signedOut)
        #expect(try tokens().isEmpty)
    }

    /// Who got the family's token, what else is stored, the family that the response names, what happens while it is
    /// spent, and the refresh tokens that are left.
    static let rotations: [(String, [TestEntry], String?, [Step], [String])] = [
        (
            "another member is signed in", [.refreshToken(client: "b", family: "1"), .accessToken("b", client: "b")],
            "1", [.signOut("client-a")], ["rotated"]
        ),
        (
            "the token was the client's own, another member is signed in",
            [.refreshToken(family: "1"), .accessToken("b", client: "b"), .appMetadata(client: "b", family: "1")],
            "1", [.signOut("client-a")], ["rotated"]
        ),
        (
            "nobody else is signed in", [.refreshToken(family: "1")], "1", [.signOut("client-a")], []
        ),
        (
            "the response is of no family", [.refreshToken(client: "b", family: "1"), .accessToken("b", client: "b")],
            nil, [.signOut("client-a")], ["rt"]
        ),
        (
            "another member has renewed already",
            [.refreshToken(client: "b", family: "1"), .appMetadata(client: "b", family: "1")],
            "1", [.renewInFamily("b"), .signOut("client-a")], ["rt"]
        ),
        (
            "the other member signed out too",
            [.refreshToken(client: "b", family: "1"), .appMetadata(client: "b", family: "1")],
            "1", [.signOut("client-a"), .signOut("b")], []
        ),
        (
            "the account was wiped", [.refreshToken(client: "b", family: "1"), .accessToken("b", client: "b")],
            "1", [.wipe("b")], []
        ),
    ]

    @Test("still gives the family its new token where another member is signed in", arguments: 0..<rotations.count)
    func rotation(index: Int) throws {
        let (rule, entries, family, meanwhile, left) = Self.rotations[index]
        try group.put([.account(), .appMetadata(family: "1")] + entries)
        let token = try handOut()
        for step in meanwhile { try step.run(in: group) }
        let before = try group.entries().filter { $0.fields.kind != .refreshToken }.map(\.facts)
        let error = #expect(throws: TokenCacheError.self) { try save(token, family: family) }
        #expect(error?.code == .signedOut)
        let after = try group.entries()
        let refreshTokens = after.filter { $0.fields.kind == .refreshToken }
        #expect(refreshTokens.compactMap(\.token) == left, Comment(rawValue: rule))
        #expect(refreshTokens.allSatisfy { $0.fields.familyID == "1" })
        // Nothing of the client that signed out is stored.
        #expect(after.filter { $0.fields.kind != .refreshToken }.map(\.facts) == before, Comment(rawValue: rule))
    }

    @Test("rotates the family's token under the name of the client that got it")
    func rotatedName() throws {
        try group.put(
            .account(),
            .appMetadata(family: "1"),
            .refreshToken(client: "B", family: "1"),
            .accessToken("b", client: "b")
        )
        let token = try handOut()
        try cache.signOut(accountID: TestGroup.accountID)
        #expect(throws: TokenCacheError.self) { try save(token, family: "1") }
        let entry = try #require(try group.entries().first { $0.token == "rotated" })
        #expect(entry.facts.text(.clientID) == "B")
        #expect(try group.cache(client: "b").token(for: query).summary() == "renew rotated beside b")
    }

    @Test("rotates an on-behalf-of token for the calls of that service only")
    func rotatedOnBehalf() throws {
        try group.put(
            .account(),
            .appMetadata(family: "1"),
            .refreshToken(client: "b", family: "1").with("user_assertion_hash", "hash"),
            .accessToken("b", client: "b")
        )
        let options = TokenQueryOptions(forceRefresh: true, userAssertion: UserAssertionHash(hash: "hash"))
        let onBehalf = MatchingCase.query("user.read", options: options)
        let token = try cache.refreshToken(for: onBehalf)
        try cache.signOut(accountID: TestGroup.accountID)
        #expect(throws: TokenCacheError.self) { try save(token, family: "1") }
        let other = try group.cache(client: "b")
        #expect(try other.token(for: onBehalf).summary() == "renew rotated")
        #expect(try other.token(for: query).summary() == "interaction refreshTokenMissing")
    }

    @Test("names the tokens handed out in its request")
    func request() throws {
        try group.put(.account(), .refreshToken())
        let anyTenant = TokenQuery(accountID: TestGroup.accountID, scopes: ["a"])
        let request = TokenRequest(renewing: try cache.refreshToken(for: anyTenant), scopes: ["a"])
        #expect(request.grant == .renewal)
        #expect(request.accountID == "uid.utid")
        #expect(request.environment == "login.microsoftonline.com")
        #expect(request.tenant == "utid")
        let guest = TokenQuery(accountID: TestGroup.accountID, scopes: ["a"], tenant: "Guest")
        let token = try cache.refreshToken(for: guest)
        #expect(TokenRequest(renewing: token, scopes: ["a"]).tenant == "Guest")
        #expect(TokenRequest(renewing: token, scopes: ["a"], tenant: "T").tenant == "T")
    }

    @Test("is not stored under another account, whether or not one of the two was signed out of", arguments: 0..<3)
    func mismatch(step: Int) throws {
        try group.put(.account(), .refreshToken())
        let token = try handOut()
        if step == 1 { try cache.signOut(accountID: TestGroup.accountID) }
        if step == 2 { try cache.signOut(accountID: "x.y") }
        let response = TestResponse.signIn(refreshToken: "new", clientInfo: ["uid": "x", "utid": "y"])
        let saved = try cache.save(
            try TokenResponse(json: response.body),
            for: TokenRequest(renewing: token, scopes: ["User.Read"])
        )
        #expect(saved.belongsToAnotherAccount)
        #expect(try tokens() == (step == 1 ? [] : ["rt"]))
    }

    @Test("notes that the client is signed in, the first time")
    func firstRenewal() throws {
        try group.put(.account(), .refreshToken(client: "b", family: "1"), .idToken(client: "b"))
        try save(try handOut(), family: "1")
        // By its state alone: b's sign-out must leave the family its token.
        try group.put(.appMetadata(client: "b", family: "1"))
        try group.remove(try #require(try group.entries().first { $0.token == "renewed" }))
        try group.cache(client: "b").signOut(accountID: TestGroup.accountID)
        #expect(try tokens().contains("rotated"))
    }
}
