// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import Foundation
import GroupDirectory
import GroupRecords
import RecordStorage
import Testing

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

/// The rules of a merge, one by one. The two libraries of a test are two processes to the group: each has a document.
@Suite("Merging edited documents")
struct DocumentMergeTests {
    let group: CacheGroup
    let fixture = GroupFixture()

    init() throws {
        group = try fixture.createGroup()
        try group.edit { $0.signIn("0") }
    }

    // MARK: - Renewals

    @Test("a renewal replaces the refresh token, with or without a time", arguments: [nil, 1_000, 1_001] as [Int?])
    func renewal(modified: Int?) throws {
        try group.edit { $0.put(refreshToken: "r0", modified: 1_000) }
        let report = try group.edit { cache in
            cache.put(refreshToken: "r1", modified: modified)
            cache.put(accessToken: "a1", cachedAt: 1_000)
        }
        #expect(report.writtenCount == 2)
        #expect(try group.tokens() == ["a1", "r1"])
    }

    @Test("an older document that is given back for another token does not undo a renewal")
    func olderDocument() throws {
        var older = try group.document(for: "client")
        try group.edit { cache in
            cache.put(refreshToken: "r1")
            cache.put(accessToken: "a1")
        }
        var cache = try LibraryCache(older)
        cache.put(accessToken: "b0", scopes: "mail.read")
        #expect(try older.merge(cache).writtenCount == 1)
        #expect(try group.tokens() == ["a1", "b0", "r1"])
    }

    @Test("of two renewals, the one that is written last counts, unless times say otherwise")
    func twoRenewals() throws {
        var first = try group.document(for: "client")
        var second = try group.document(for: "client")
        var (one, two) = (try LibraryCache(first), try LibraryCache(second))
        one.put(refreshToken: "r1")
        one.put(accessToken: "a1", cachedAt: 5_000)
        two.put(refreshToken: "r2")
        two.put(accessToken: "a2", cachedAt: 4_000)
        try first.merge(one)
        let report = try second.merge(two)
        #expect(report.keptCount == 1)
        #expect(try group.tokens() == ["a1", "r2"])
        // A library that still has the loser changes nothing with it.
        #expect(try !second.merge(two).hasChanges)
    }

    @Test("a refresh token under another library's key replaces the one that it renews")
    func otherKey() throws {
        try group.edit { $0.put(refreshToken: "r1", key: "uid.utid-login.windows.net-RefreshToken-CLIENT-contoso-") }
        #expect(try group.tokens() == ["a0", "r1"])
    }

    @Test("a library that writes every entry under keys of its own form changes nothing, and undoes no renewal")
    func ownKeys() throws {
        var document = try group.document(for: "client")
        let cache = try LibraryCache(document)
        var renamed = cache
        renamed.entries = cache.entries.mapValues { section in
            Dictionary(uniqueKeysWithValues: section.map { ($0.uppercased(), $1) })
        }
        #expect(try !document.merge(renamed).hasChanges)
        try group.edit { $0.put(refreshToken: "r1") }
        var again = try group.document(for: "client")
        try group.edit { $0.put(refreshToken: "r2") }
        renamed.entries["RefreshToken"] = renamed.entries["RefreshToken"]?.mapValues {
            $0.merging(["secret": "r1"]) { $1 }
        }
        #expect(try !again.merge(renamed).hasChanges)
        #expect(try group.tokens() == ["a0", "r2"])
    }

    @Test("a new token replaces those that a save would replace, but not what the client itself has beside it")
    func intersectingScopes() throws {
        try group.edit { $0.put(accessToken: "ab", scopes: "user.read mail.read") }
        #expect(try group.tokens() == ["a0", "ab", "r0"])
        try group.edit { $0.entries["AccessToken"] = [:] }
        try group.edit { $0.put(accessToken: "b", scopes: "mail.read") }
        var older = try group.document(for: "client")
        try group.edit { $0.put(accessToken: "c", scopes: "user.read") }
        var cache = try LibraryCache(older)
        cache.put(accessToken: "ac", scopes: "user.read files.read")
        try older.merge(cache)
        #expect(try group.tokens() == ["ac", "b", "r0"])
    }

    // MARK: - Removals and sign-outs

    @Test("after a sign-out elsewhere, a renewal brings nothing back")
    func signedOutElsewhere() throws {
        var document = try group.document(for: "client")
        var cache = try LibraryCache(document)
        try group.edit { $0.remove() }
        cache.put(refreshToken: "r1")
        cache.put(accessToken: "a1")
        cache.put(accessToken: "b1", scopes: "mail.read")
        let report = try document.merge(cache)
        #expect(report.refusedCount == 3)
        #expect(!report.hasChanges)
        #expect(try group.tokens().isEmpty)
        #expect(try !document.merge(cache).hasChanges)
    }

    @Test("an account that is removed with its tokens is signed out, with what others renewed meanwhile")
    func signOut() throws {
        try group.edit { $0.signIn("9", user: "other.utid") }
        var document = try group.document(for: "client")
        var cache = try LibraryCache(document)
        try group.edit { $0.put(refreshToken: "r1") }
        cache.remove()
        let report = try document.merge(cache)
        #expect(report.signedOutCount == 1)
        #expect(try group.tokens() == ["a9", "r9"])
        #expect(try group.view().entries["Account"]?.count == 1)
        let tokens = try group.tokenCache(clientID: "client")
        defer { tokens.close() }
        #expect(
            try tokens.accounts(matching: AccountFilter(includesSignedOut: true)).map(\.isSignedIn).sorted { !$0 && $1 }
                == [false, true]
        )
        #expect(try !document.merge(cache).hasChanges)
    }

    @Test("removals in several steps of one document that end without the account are one sign-out")
    func signOutInSteps() throws {
        var document = try group.document(for: "client")
        var cache = try LibraryCache(document)
        cache.entries["RefreshToken"] = [:]
        #expect(try document.merge(cache).removedCount == 1)
        // Another process renewed before it knew.
        cache.entries["AccessToken"] = [:]
        #expect(try document.merge(cache).removedCount == 1)
        cache.entries["Account"] = [:]
        #expect(try document.merge(cache).signedOutCount == 1)
        // The token of the first step is known: a library that kept it cannot bring it back.
        #expect(try group.edit { $0.signIn("0") }.refusedCount == 3)
        #expect(try group.tokens().isEmpty)
    }

    @Test("an interactive sign-in after a sign-out brings the account back")
    func interactive() throws {
        try group.edit { $0.remove() }
        #expect(try group.edit { $0.signIn("1") }.refusedCount == 0)
        #expect(try group.tokens() == ["a1", "r1"])
        #expect(try group.view().tokens == ["a1", "r1"])
    }

    @Test("a document that signed out and in again renews afterwards")
    func outAndIn() throws {
        var document = try group.document(for: "client")
        var cache = try LibraryCache(document)
        cache.remove()
        try document.merge(cache)
        cache.signIn("1")
        try document.merge(cache)
        cache.put(refreshToken: "r2")
        #expect(try document.merge(cache).writtenCount == 1)
        #expect(try group.tokens() == ["a1", "r2"])
    }

    @Test("a library that brings a signed-out account back from its memory is refused")
    func broughtBack() throws {
        let memory = try group.view()
        try group.edit { $0.remove() }
        let report = try group.edit { $0 = memory }
        #expect(report.refusedCount == 3)
        #expect(try group.tokens().isEmpty)
        // Also if the account was signed out or removed in another way.
        try group.edit { $0.signIn("1") }
        let newer = try group.view()
        let cache = try group.tokenCache(clientID: "client")
        defer { cache.close() }
        try cache.wipe(try #require(try cache.accounts().first))
        try group.edit { $0 = newer }
        #expect(try group.tokens().isEmpty)
    }

    @Test("tokens that were removed and stored again are renewed like others")
    func storedAgain() throws {
        let backup = try group.give()
        try group.edit { $0.remove() }
        try group.take(backup, ImportOptions(replacesNewer: true))
        #expect(try group.tokens() == ["a0", "r0"])
        #expect(try group.edit { $0.put(refreshToken: "r1") }.refusedCount == 0)
        #expect(try group.tokens() == ["a0", "r1"])
    }

    @Test("a removed refresh token goes, and its successor does not")
    func removedToken() throws {
        var document = try group.document(for: "client")
        var cache = try LibraryCache(document)
        cache.entries["RefreshToken"] = [:]
        try group.edit { $0.put(refreshToken: "r1") }
        #expect(try !document.merge(cache).hasChanges)
        #expect(try group.tokens() == ["a0", "r1"])
        #expect(try group.edit { $0.entries["RefreshToken"] = [:] }.removedCount == 1)
        #expect(try group.tokens() == ["a0"])
    }

    @Test("an access token that a library purges is removed quietly")
    func purged() throws {
        let report = try group.edit { $0.entries["AccessToken"] = [:] }
        #expect(report.removedCount == 1)
        #expect(try group.tokens() == ["r0"])
        #expect(try group.edit { $0.put(accessToken: "a1") }.writtenCount == 1)
    }

    @Test("one tenant profile of several is removed by itself")
    func tenantProfile() throws {
        try group.edit { $0.put(account: "uid.utid", realm: "fabrikam") }
        let report = try group.edit { $0.entries["Account"]?["uid.utid-login.windows.net-contoso"] = nil }
        #expect(report.removedCount == 1)
        #expect(try group.view().entries["Account"]?.count == 1)
        #expect(try group.tokens() == ["a0", "r0"])
    }

    @Test("removing an account in one cloud keeps it in another, and what others write there")
    func twoClouds() throws {
        let china = "login.partner.microsoftonline.cn"
        try group.edit { cache in
            cache.put(refreshToken: "c0", environment: china)
            cache.put(account: "uid.utid", environment: china)
        }
        var other = try group.document(for: "client")
        var stale = try group.document(for: "client")
        try group.edit { cache in
            for section in cache.entries.keys {
                cache.entries[section] = cache.entries[section]?.filter { $0.value["environment"] != china }
            }
        }
        #expect(try group.tokens() == ["a0", "r0"])
        var cache = try LibraryCache(other)
        cache.put(refreshToken: "r1")
        cache.put(refreshToken: "c1", environment: china)
        let report = try other.merge(cache)
        #expect(report.writtenCount == 1)
        #expect(report.refusedCount == 1)
        var memory = try LibraryCache(stale)
        memory.put(accessToken: "a9", scopes: "mail.read")
        try stale.merge(memory)
        #expect(try group.tokens() == ["a0", "a9", "r1"])
    }

    // MARK: - Families and other clients

    private func family() throws {
        try group.edit(for: "one") { $0.signIn("f", user: "fam.utid", client: "one", family: "1") }
        try group.edit(for: "two") { $0.put(metadataOf: "two", family: "1") }
    }

    @Test("a family's token is shown to its members and to clients that may try it, and nothing else of other clients")
    func visibility() throws {
        try family()
        try group.edit(for: "three") { $0.put(metadataOf: "three", family: "") }
        #expect(try group.view(of: "two").tokens == ["rf"])
        #expect(try group.view(of: "two").entries["Account"]?.count == 1)
        #expect(try group.view(of: "two").entries["AppMetadata"]?.count == 1)
        #expect(try group.view(of: "three").tokens.isEmpty)
        #expect(try group.view(of: "unknown").tokens == ["rf"])
        #expect(try group.view(of: "ONE").tokens == ["af", "rf"])
    }

    @Test("the successor of another client's token of the family replaces it everywhere, under every key")
    func rotation() throws {
        try family()
        try group.edit(for: "one") {
            $0.put(refreshToken: "rf", user: "fam.utid", client: "one", family: "1", key: "python's")
        }
        try group.edit(for: "two") { cache in
            for (key, entry) in cache.entries["RefreshToken"] ?? [:] {
                cache.entries["RefreshToken"]?[key] = entry.merging(["secret": "rg", "last_modification_time": "2000"])
                { $1 }
            }
            cache.put(accessToken: "a2", user: "fam.utid", client: "two")
        }
        #expect(Set(try group.view(of: "one").tokens) == ["af", "rg"])
        #expect(Set(try group.view(of: "two").tokens) == ["a2", "rg"])
    }

    @Test("no merge removes a family's token that another client needs")
    func neededToken() throws {
        try family()
        // The other member has used it, and is signed in.
        try group.edit(for: "two") { $0.put(accessToken: "a2", user: "fam.utid", client: "two") }
        try group.edit(for: "one") { $0.entries["RefreshToken"] = [:] }
        try group.edit(for: "two") { $0.entries["RefreshToken"] = [:] }
        #expect(try group.view(of: "two").tokens == ["a2", "rf"])
        #expect(try group.edit(for: "one") { $0.remove(account: "fam.utid") }.signedOutCount == 1)
        #expect(try group.view(of: "one").tokens.isEmpty)
        #expect(try group.view(of: "two").tokens == ["a2", "rf"])
        #expect(try group.edit(for: "two") { $0.remove(account: "fam.utid") }.signedOutCount == 1)
        #expect(try group.tokens() == ["a0", "r0"])
    }

    @Test("a member that was signed out while it renewed still hands the successor to the others")
    func successorForOthers() throws {
        try family()
        try group.edit(for: "two") { $0.put(accessToken: "a2", user: "fam.utid", client: "two") }
        var document = try group.document(for: "one")
        var cache = try LibraryCache(document)
        try group.edit(for: "one") { $0.remove(account: "fam.utid") }
        cache.put(refreshToken: "rg", user: "fam.utid", client: "one", family: "1")
        cache.put(accessToken: "ag", user: "fam.utid", client: "one")
        #expect(try document.merge(cache).refusedCount == 2)
        #expect(try group.view(of: "two").tokens == ["a2", "rg"])
        #expect(try group.view(of: "one").tokens.isEmpty)
    }

    @Test("a signed-out member that brings an old token of the family back changes nothing")
    func oldFamilyToken() throws {
        try family()
        try group.edit(for: "two") { $0.put(accessToken: "a2", user: "fam.utid", client: "two") }
        let memory = try group.view(of: "one")
        try group.edit(for: "one") { $0.remove(account: "fam.utid") }
        try group.edit(for: "two") { cache in
            for key in (cache.entries["RefreshToken"] ?? [:]).keys {
                cache.entries["RefreshToken"]?[key]?["secret"] = "rg"
            }
        }
        try group.edit(for: "one") { $0 = memory }
        #expect(try group.view(of: "two").tokens == ["a2", "rg"])
        #expect(try group.view(of: "one").tokens.isEmpty)
    }

    @Test("an emptied family is kept, for this client")
    func emptiedFamily() throws {
        try family()
        #expect(try group.edit(for: "two") { $0.put(metadataOf: "two", family: "") }.writtenCount == 1)
        #expect(try group.view(of: "two").tokens.isEmpty)
        #expect(try group.view(of: "one").tokens == ["af", "rf"])
    }

    @Test("entries of other clients are neither added, changed nor removed")
    func otherClients() throws {
        let before = try group.give().text
        let report = try group.edit(for: "stranger") { cache in
            cache.put(refreshToken: "evil")
            cache.put(accessToken: "evil", scopes: "everything")
            cache.put(account: "uid.utid")
            cache.put(metadataOf: "client", family: "1")
        }
        #expect(report.ignoredCount == 4)
        #expect(!report.hasChanges)
        #expect(try group.give().text == before)
    }

    @Test("an account is merged member by member")
    func members() throws {
        let key = "uid.utid-login.windows.net-contoso"
        var document = try group.document(for: "client")
        var cache = try LibraryCache(document)
        try group.edit { cache in
            cache.entries["Account"]?[key]?["username"] = "new@contoso.com"
            cache.entries["Account"]?[key]?["another library's"] = "é"
        }
        cache.entries["Account"]?[key]?["name"] = "Ann"
        try document.merge(cache)
        let account = try group.view().entries["Account"]?[key]
        #expect(account?["username"] == "new@contoso.com")
        #expect(account?["another library's"] == "é")
        #expect(account?["name"] == "Ann")
    }

    // MARK: - What a write is

    @Test("a merge of what was not edited writes nothing, however it is formatted")
    func untouched() throws {
        try group.edit { $0.entries["Account"]?["uid.utid-login.windows.net-contoso"]?["name"] = "Zoë / \"x\"" }
        let store = group.opened.store
        _ = try store.refresh(until: .after(.seconds(20)))
        let sequence = try store.newestSequence(until: .after(.seconds(20)))
        var document = try group.document(for: "client")
        let text = try document.text()
        let escaped = text.replacingOccurrences(of: "ë", with: "\\u00eb").replacingOccurrences(of: ":", with: " : ")
        for written in [text, escaped, try LibraryCache(document).text] {
            #expect(try !document.merge(text: written).hasChanges)
        }
        _ = try store.refresh(until: .after(.seconds(20)))
        #expect(try store.newestSequence(until: .after(.seconds(20))) == sequence)
    }

    @Test("a write counts as a save: notes of refusals are gone")
    func notes() throws {
        let cache = try group.tokenCache(clientID: "client")
        defer { cache.close() }
        let query = TokenQuery(accountID: Account.ID("uid.utid"), scopes: ["mail.read"])
        let attempts = Counter()
        func renew() {
            _ = try? cache.renewSynchronously(query) { _ in
                _ = attempts.next()
                return .refused(error: "invalid_grant", suberror: "consent_required")
            }
        }
        renew()
        renew()
        #expect(attempts.value == 1)
        try group.edit { $0.put(refreshToken: "r1") }
        renew()
        #expect(attempts.value == 2)
    }

    @Test("one changed account of a thousand is one write to the disk")
    func oneWrite() throws {
        try group.edit { cache in for number in 0..<1_000 { cache.signIn("\(number)", user: "u\(number).utid") } }
        var document = try group.document(for: "client")
        var cache = try LibraryCache(document)
        cache.put(refreshToken: "new", user: "u7.utid")
        let text = cache.text
        let writes = Counter()
        let faults = (0..<8).map { number in
            SyscallFaults.Fault(before: .fdatasync, after: number) { _ = writes.next() }
        }
        let report = try SyscallFaults.with(faults) { () throws(TokenCacheError) in try document.merge(text: text) }
        #expect(report.writtenCount == 1)
        #expect(writes.value == 1)
    }
}
