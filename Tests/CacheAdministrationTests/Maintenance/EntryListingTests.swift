// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import Sealing
import Testing
import UnifiedSchema

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Listing entries")
struct EntryListingTests {
    let fixture = GroupFixture()
    static let now = Timestamp(secondsSince1970: 10_000)
    static let document = Document.sections([
        "AccessToken": [
            Document.accessToken(scopes: "user.read Mail.Read", secret: "CANARY", cachedAt: 9_000),
            Document.accessToken(client: "other", cachedAt: 1_000),
            Document.accessToken(user: "two.utid", cachedAt: 9_500),
        ],
        "RefreshToken": [Document.refreshToken(more: #", "family_id": "1""#)],
        "Account": [
            Document.account(username: "One@contoso.com"),
            Document.account(user: "two.utid", username: "two@contoso.com"),
        ],
        "AppMetadata": [#""m": {"client_id": "client", "environment": "login.windows.net"}"#],
        "junk": [#""k": {"x": 1}"#],
    ])

    private func group() throws -> CacheGroup {
        let group = try fixture.createGroup()
        try group.take(Self.document)
        return group
    }

    private func list(_ filter: EntryFilter, in group: CacheGroup) throws -> [EntrySummary] {
        var entries: [EntrySummary] = []
        try group.forEachEntry(matching: filter) { (entry) throws(TokenCacheError) in entries.append(entry) }
        return entries
    }

    private func filter(
        account: String? = nil,
        client: String? = nil,
        tenant: String? = nil,
        kinds: [String]? = nil,
        isExpired: Bool? = nil
    ) -> EntryFilter {
        let all = [.accessToken, .refreshToken, .account, .appMetadata, .opaque].map { CachedEntryKind($0) }
        return EntryFilter(
            account: account,
            clientID: client,
            tenant: tenant,
            kinds: kinds.map { names in Set(all.filter { names.contains($0.name) }) },
            expiry: isExpired.map { $0 ? .expired(by: Self.now) : .unexpired(at: Self.now) }
        )
    }

    @Test("everything is listed, in an order that stays the same")
    func everything() throws {
        let group = try group()
        let entries = try list(filter(), in: group)
        #expect(entries.count == 8)
        #expect(Set(entries.map(\.handle)).count == 8)
        #expect(try list(filter(), in: group) == entries)
        #expect(try list(filter(), in: CacheGroup(fixture.open())) == entries)
    }

    @Test("filters by account, client, tenant, kind and expiry hold together and apart")
    func filters() throws {
        let group = try group()
        func count(_ filter: EntryFilter) throws -> Int { try list(filter, in: group).count }
        #expect(try count(filter(account: "UID.utid")) == 4)
        #expect(try count(filter(account: "one@CONTOSO.com")) == 4)
        #expect(try count(filter(account: "nobody@contoso.com")) == 0)
        #expect(try count(filter(client: "CLIENT")) == 4)
        #expect(try count(filter(client: "other")) == 1)
        #expect(try count(filter(tenant: "contoso")) == 5)
        #expect(try count(filter(kinds: ["RefreshToken", "other"])) == 2)
        #expect(try count(filter(kinds: [])) == 0)
        #expect(try count(filter(isExpired: true)) == 1)
        #expect(try count(filter(isExpired: false)) == 2)
        #expect(try count(filter(account: "two.utid", client: "client", kinds: ["AccessToken"])) == 1)
    }

    @Test("an account is found by its whole handle in either case, and never by the beginning of one")
    func accountHandle() throws {
        let group = try group()
        let entry = try #require(try list(filter(account: "two.utid"), in: group).first)
        let handle = try #require(entry.accountHandle)
        #expect(AccountHandle(handle.description) == handle)
        #expect(try list(filter(account: handle.description), in: group).count == 2)
        #expect(try list(filter(account: handle.description.uppercased()), in: group).count == 2)
        #expect(try list(filter(account: handle.short), in: group).isEmpty)
        #expect(try list(filter(account: String(handle.description.dropLast())), in: group).isEmpty)
    }

    @Test("a summary names the kind and the owner of an entry")
    func summary() throws {
        let group = try group()
        let kinds = ["AccessToken"]
        let entry = try #require(try list(filter(account: "uid.utid", client: "client", kinds: kinds), in: group).first)
        #expect(entry.username == "One@contoso.com")
        #expect(entry.accountID?.text == "uid.utid")
        #expect(entry.scopes == ["user.read", "Mail.Read"])
        #expect(entry.tenant == "contoso")
        #expect(entry.tokenType == "bearer")
        #expect(entry.cachedAt == Timestamp(secondsSince1970: 9_000))
        #expect(entry.isExpired(at: Self.now) == false)
        #expect(entry.byteCount > 100)
        #expect(entry.section == "AccessToken")
        let metadata = try #require(try list(filter(kinds: ["AppMetadata"]), in: group).first)
        #expect(metadata.accountHandle == nil)
        #expect(metadata.isExpired(at: Self.now) == nil)
    }

    @Test("nothing secret is in a summary")
    func noSecrets() throws {
        var shown = ""
        for entry in try list(filter(), in: group()) { dump(entry, to: &shown) }
        #expect(!shown.contains("CANARY"))
        #expect(!shown.contains("rt-secret"))
    }

    @Test("an entry is found by the first digits of its handle, with its token")
    func detail() throws {
        let group = try group()
        let entry = try #require(try list(filter(account: "one@contoso.com", kinds: ["AccessToken"]), in: group).first)
        let detail = try group.entry(entry.handle.description.uppercased())
        #expect(detail.summary == entry)
        let isToken = try detail.withSecret { (token) throws(TokenCacheError) in
            token.isEqual(to: "CANARY") || token.isEqual(to: "at-secret")
        }
        #expect(isToken == true)
        #expect(try group.entry(entry.handle.short).summary == entry)
        #expect(try group.entry(entry.handle).summary == entry)
    }

    @Test("an error that the closure throws ends the listing and is rethrown")
    func ownError() throws {
        let own = TokenCacheError(.invalidName)
        let group = try group()
        var count = 0
        #expect(throws: own) {
            try group.forEachEntry { (_) throws(TokenCacheError) in
                count += 1
                throw own
            }
        }
        #expect(throws: own) {
            try group.forEachAccount { (_) throws(TokenCacheError) in
                count += 1
                throw own
            }
        }
        #expect(count == 2)
    }

    @Test(
        "an invalid or unknown handle is reported",
        arguments: [
            ("", "invalidRequest"), ("12", "invalidRequest"),
            ("xyzw", "invalidRequest"), ("0123456789abcdef0123456789abcdef", "notFound"),
        ]
    )
    func wrongHandle(handle: String, code: String) throws {
        let group = try group()
        let error = #expect(throws: TokenCacheError.self) { try group.entry(handle) }
        #expect(error?.code.description == code)
    }

    @Test("an error thrown by the closure ends the listing")
    func ending() throws {
        let group = try group()
        let error = #expect(throws: TokenCacheError.self) {
            try group.forEachEntry { (_) throws(TokenCacheError) in throw TokenCacheError(.cancelled) }
        }
        #expect(error?.code == .cancelled)
    }

    @Test("figures count entries by kind, accounts, slots and bytes")
    func statistics() throws {
        let statistics = try group().statistics()
        #expect(statistics.entryCount == 8)
        #expect(statistics.entryCounts[CachedEntryKind(.accessToken)] == 3)
        #expect(statistics.accountCount == 2)
        #expect(statistics.file?.epoch == 1)
        #expect(statistics.file?.keySlotCount == 1)
        #expect(statistics.file?.byteCount ?? 0 > 1_000)
    }
}
