// SPDX-License-Identifier: Apache-2.0

import Foundation
import GroupRecords
import RecordStorage
import Testing

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Clearing")
struct ClearingTests {
    let fixture = GroupFixture()

    private func group() throws -> CacheGroup {
        let group = try fixture.createGroup()
        try group.take(EntryListingTests.document)
        return group
    }

    private let now = EntryListingTests.now

    @Test("a filter without conditions removes nothing, as it may be one that was never filled in")
    func unfilled() throws {
        let group = try group()
        let before = try group.clearAll(isDryRun: true).entryCount
        let error = #expect(throws: TokenCacheError.self) { _ = try group.clear(matching: EntryFilter(account: nil)) }
        #expect(error?.code == .invalidRequest)
        #expect(try group.clearAll(isDryRun: true).entryCount == before)
    }

    @Test("a dry run reports the entries to remove and changes nothing")
    func plan() throws {
        let group = try group()
        let journal = fixture.contents("journal")
        let plan = try group.clear(matching: EntryFilter(account: "uid.utid"), isDryRun: true)
        #expect(plan.entryCount == 4)
        #expect(plan.accountCount == 1)
        #expect(fixture.contents("journal") == journal)
    }

    @Test("an account goes with everything that any client has of it, and clients are signed out")
    func account() throws {
        let group = try group()
        let report = try group.clear(matching: EntryFilter(account: "one@contoso.com"))
        #expect(report.entryCount == 4)
        #expect(try group.give(ExportOptions(includesSignedOutAccounts: true)).keys("Account").count == 1)
        let again = try group.take(EntryListingTests.document)
        #expect(again.counts.signedOut == 3)
    }

    @Test("an empty filter empties the group")
    func everything() throws {
        let group = try group()
        #expect(try group.clearAll().entryCount == 8)
        #expect(try group.give().text == "{}")
        #expect(try group.take(EntryListingTests.document).counts.new == 8)
    }

    @Test("an emptied group has new keys, and the old key file is overwritten")
    func newKeys() throws {
        let group = try group()
        let (path, epoch) = (fixture.keyFiles[0], try group.statistics().file?.epoch)
        let old = try FileHandle(forReadingFrom: URL(filePath: path))
        #expect(try group.clearAll().keyChangeFailure == nil)
        #expect(epoch == 1)
        #expect(try group.statistics().file?.epoch == 2)
        #expect(try old.readToEnd() == Data(count: 32))
        #expect(!fixture.keyFiles.contains(path) && fixture.keyFiles.count == 1)
        let again = CacheGroup(try fixture.open(), timeout: .seconds(20))
        #expect(try again.take(EntryListingTests.document).counts.new == 8)
    }

    @Test("a group is emptied although a slot keeps its keys from being changed")
    func keysKept() throws {
        let group = try group()
        let path = fixture.scratch.path("named.key")
        try group.addKeySlot(.keyFile(path: path))
        try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
        let report = try group.clearAll()
        #expect(report.entryCount == 8)
        #expect(report.keyChangeFailure?.code == .keyMissing)
        #expect(try group.give().text == "{}")
        #expect(try group.statistics().file?.epoch == 1)
    }

    @Test("an empty filter says that the group is empty, where something set aside cannot be deleted")
    func undeletable() throws {
        let group = try group()
        for name in ["quarantine", "quarantine/x"] {
            try FileManager.default.createDirectory(
                atPath: fixture.path(name),
                withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700]
            )
        }
        let error = #expect(throws: TokenCacheError.self) { try group.clearAll() }
        #expect(error?.code == .unsafeFile)
        #expect(error?.path?.hasSuffix("/quarantine/x") == true)
        #expect(error?.detail?.contains("the group is empty now") == true)
        #expect(try group.give().text == "{}")
    }

    @Test("expired tokens go, and nothing else")
    func expired() throws {
        let group = try group()
        let report = try group.clear(matching: EntryFilter(expiry: .expired(by: now)))
        #expect(report.entryCount == 1)
        let given = try group.give()
        #expect(given.keys("AccessToken").count == 2)
        #expect(given.keys("RefreshToken").count == 1)
        // Nobody was signed out by that.
        #expect(try group.take(EntryListingTests.document).counts.new == 1)
    }

    @Test("an account is removed with its sign-in states of MSAL for Objective-C")
    func accountMetadata() throws {
        let group = try group()
        let map = #"{"UID.utid": {"sign_in_state": "signed_in"}, "z": {"sign_in_state": "unknown"}}"#
        try group.take(
            .sections(["AccountMetadataMap": [#""k": {"client_id": "c", "account_metadata_map": \#(map)}"#]])
        )
        _ = try group.clear(matching: EntryFilter(account: "uid.utid"))
        let left = try group.give().member("AccountMetadataMap", "k", "account_metadata_map") as? [String: Any]
        #expect(left.map { Array($0.keys) } == ["z"])
    }

    @Test("a refresh token with an expiry is not treated as an expired access token")
    func expiredRefreshToken() throws {
        let group = try fixture.createGroup()
        let ended = #", "expires_on": "5""#
        try group.take(.sections(["RefreshToken": [Document.refreshToken(more: ended)]]))
        #expect(try group.clear(matching: EntryFilter(expiry: .expired(by: now))).entryCount == 0)
        #expect(try group.give().keys("RefreshToken").count == 1)
    }

    @Test("a client's entries go, in every account")
    func client() throws {
        let group = try group()
        #expect(try group.clear(matching: EntryFilter(clientID: "client")).entryCount == 4)
        let given = try group.give()
        #expect(given.keys("AccessToken").count == 1)
        #expect(given.keys("Account").count == 2)
        #expect(given.keys("AppMetadata").isEmpty)
    }

    @Test("entries that another handle saved meanwhile are cleared too")
    func meanwhile() throws {
        let group = try group()
        let other = CacheGroup(try fixture.open())
        _ = try group.clear(matching: EntryFilter(clientID: "late"), isDryRun: true)
        try other.take(.sections(["AccessToken": [Document.accessToken(client: "late")]]))
        #expect(try group.clear(matching: EntryFilter(clientID: "late")).entryCount == 1)
    }

    @Test(
        "a renewal with a family's token that was cleared meanwhile stores nothing, whichever member got it",
        arguments: 0..<2
    )
    func familyRenewal(index: Int) throws {
        // With its family named, and as a kind of its own that does not name it.
        let token = [
            TestEntry.refreshToken("family", client: "client-a", family: "1"),
            TestEntry.refreshToken("family", client: "client-a").with("credential_type", "FamilyRefreshToken"),
        ][index]
        let opened = try fixture.create(.file(unlockedBy: .keyFile))
        try opened.put([.account(), token])
        let group = CacheGroup(opened, timeout: .seconds(20))
        let cache = try TokenCache(
            group: "group",
            clientID: "client-b",
            root: fixture.scratch.path,
            storage: .file(unlockedBy: .keyFile)
        )
        try TestResponse.signIn(refreshToken: nil).save(in: cache)
        let query = MatchingCase.query("user.read", options: TokenQueryOptions(forceRefresh: true))
        let spent = try cache.refreshToken(for: query)
        let kinds: Set<CachedEntryKind> = [.refreshToken, .familyRefreshToken]
        #expect(try group.clear(matching: EntryFilter(kinds: kinds)).entryCount == 1)
        let response = TestResponse.signIn(accessToken: "renewed", refreshToken: "rotated", family: "1")
        let error = #expect(throws: TokenCacheError.self) {
            try cache.save(
                try TokenResponse(json: response.body),
                for: TokenRequest(renewing: spent, scopes: ["User.Read"])
            )
        }
        #expect(error?.code == .signedOut)
    }

    @Test("secrets of cleared entries are no longer in the file")
    func erased() throws {
        let group = try group()
        let before = try #require(fixture.contents("journal"))
        _ = try group.clear(matching: EntryFilter(clientID: "client"))
        let after = try #require(fixture.contents("journal"))
        // Removing writes a transaction behind, and zeros where the secrets were.
        let common = min(before.count, after.count)
        #expect(before.prefix(common) != after.prefix(common))
    }

    @Test(
        "what is pending to be revoked goes with its account and with the group, also after it expired",
        arguments: [false, true]
    )
    func pendingRevocations(isExpired: Bool) throws {
        let group = try fixture.createGroup()
        let time = WallClock.system.now().secondsSince1970 - (isExpired ? 86_401 : 0)
        let cache = try TokenCache(
            store: group.opened.store,
            unlockedKeys: group.opened.unlockedKeys,
            clientID: "client",
            options: TokenCacheOptions(clock: WallClock { Timestamp(secondsSince1970: time) })
        )
        let account = try #require(try TestResponse.signIn().save(in: cache))
        var renewing = TokenQueryOptions()
        renewing.forceRefresh = true
        let token = try cache.refreshToken(for: TokenQuery(account: account, scopes: ["User.Read"], options: renewing))
        let kept = TokenToRevoke(token, of: account, authority: "https://id.example")
        _ = try cache.engine.signOut(of: try AccountName(account), keeping: [kept])
        #expect(try group.pendingRevocations().count == (isExpired ? 0 : 1))
        func isThere() throws -> Bool {
            let deadline = Deadline.after(.seconds(20))
            let store = try group.opened.snapshot(until: deadline)
            let records = try store.contents(of: try group.opened.codec.groupPartition(), until: deadline).records
            return records.contains { $0.kind.isPendingRevocation }
        }
        #expect(try isThere())
        #expect(try group.clear(matching: EntryFilter(account: "nobody"), isDryRun: true).pendingRevocationCount == 0)
        #expect(try group.clearAll(isDryRun: true).pendingRevocationCount == 1)
        if isExpired {
            try group.clearAll()
        } else {
            #expect(try group.clear(matching: EntryFilter(account: account.id.text)).pendingRevocationCount == 1)
        }
        #expect(try !isThere())
    }

    @Test("a filter that means nothing removes nothing")
    func nothing() throws {
        let group = try group()
        let journal = fixture.contents("journal")
        #expect(try group.clear(matching: EntryFilter(clientID: "nobody")).entryCount == 0)
        #expect(fixture.contents("journal") == journal)
    }
}
