// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import GroupRecords
import RecordStorage
import Testing
import UnifiedSchema

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Where it cannot be read whether a client signed out")
struct DamagedStateTests {
    let group: TestGroup
    let cache: TokenCache

    init() throws {
        group = try TestGroup()
        cache = try group.cache()
        try group.put(.account(), .accessToken(), .refreshToken(), .account("bob", account: "x.y"))
        try group.put(.refreshToken(account: "x.y"))
        try damage(.signInState)
    }

    /// Puts bytes that do not open where an own record of the account belongs.
    private func damage(_ kind: InternalRecordKind) throws {
        let partition = try group.codec.partition(ofAccount: Array(TestGroup.account.utf8).rawSpan)
        let tag =
            try kind == .signInState
            ? group.codec.signInStateTag(clientID: TestGroup.client, partition: partition)
            : group.codec.accountWipeTag(partition: partition)
        try MemoryStore(group.backing).commit(until: .standard) { (_, batch) throws(StorageError) in
            try batch.put(
                NewRecord(
                    tag: tag,
                    partition: partition,
                    kind: kind.recordKind,
                    facts: [UInt8](repeating: 7, count: 128),
                    secret: [],
                    searchTags: []
                )
            )
        }
    }

    @Test("the account is not listed as signed in, and asked for by name it is an error")
    func listing() throws {
        #expect(try cache.accounts().map(\.id) == ["x.y"])
        #expect(try cache.accounts(matching: .all).map(\.isSignedIn) == [false, true])
        for filter in [AccountFilter(id: "uid.utid"), AccountFilter(username: "ann@contoso.com")] {
            let error = #expect(throws: TokenCacheError.self) { try cache.accounts(matching: filter) }
            #expect(error?.code == .damaged)
        }
        #expect(try group.cache(client: "other").accounts(matching: AccountFilter(id: "uid.utid")).isEmpty)
    }

    @Test("a renewal is an error and stores nothing")
    func renewal() throws {
        let before = try group.entries().count
        let error = #expect(throws: TokenCacheError.self) {
            try TestResponse.signIn(accessToken: "new").renewal.save(in: cache)
        }
        #expect(error?.code == .damaged)
        #expect(try group.entries().count == before)
    }

    @Test("an interactive sign-in heals it")
    func signIn() throws {
        try TestResponse.signIn(accessToken: "new").save(in: cache)
        #expect(try cache.token(for: MatchingCase.query("user.read")).summary() == "valid new")
        #expect(try cache.accounts().count == 2)
    }

    @Test("a sign-out heals it")
    func signOut() throws {
        try cache.signOut(accountID: TestGroup.accountID)
        #expect(try cache.token(for: MatchingCase.query("user.read")).summary() == "interaction signedOut")
    }

    @Test("clearing its refresh tokens leaves the client signed out")
    func clearing() throws {
        _ = try group.whole.clear(matching: EntryFilter(kinds: [CachedEntryKind(.refreshToken)]))
        #expect(try cache.token(for: MatchingCase.query("user.read")).summary() == "interaction signedOut")
    }

    @Test("neither is a renewal stored where the mark of a wipe cannot be read")
    func wipeMark() throws {
        try TestResponse.signIn().save(in: cache)
        guard
            case .renew(let token, _) = try cache.token(
                for: MatchingCase.query("user.read", options: TokenQueryOptions(forceRefresh: true))
            )
        else { throw Unexpected() }
        try damage(.accountWipe)
        let error = #expect(throws: TokenCacheError.self) {
            try cache.save(
                try TokenResponse(json: TestResponse.signIn(accessToken: "new").body),
                for: TokenRequest(renewing: token, scopes: ["a"])
            )
        }
        #expect(error?.code == .damaged)
    }
}
