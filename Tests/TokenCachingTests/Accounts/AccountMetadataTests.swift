// SPDX-License-Identifier: Apache-2.0

import Foundation
import GroupRecords
import Testing
import UnifiedSchema

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Sign-in states of MSAL for Objective-C")
struct AccountMetadataTests {
    let group: TestGroup
    let cache: TokenCache

    init() throws {
        group = try TestGroup()
        cache = try group.cache()
    }

    private func metadata(_ map: String, client: String = TestGroup.client) -> TestEntry {
        TestEntry(.accountMetadata, [("client_id", client), ("principal_home_account_id", "uid.utid")])
            .with("principal_username", "ann@contoso.com").with("wild", json: "[1.0]")
            .with("account_metadata_map", json: map)
    }

    private func map(client: String = TestGroup.client) throws -> String? {
        let entry = try group.entries().first {
            $0.facts.kind == .accountMetadata && $0.fields.clientID == UTF8Text(client)
        }
        return entry?.facts.rawJSON(.accountMetadataMap).map { String(decoding: $0, as: UTF8.self) }
    }

    static let signedIn =
        #"{"UID.utid":{"client_id":"client-a","sign_in_state":"signed_in","athority_map":{"URLMap-":{"a":"b"}},"n":1.50}}"#

    @Test("a sign-out is written into it, for this client and account only, and forgets redirected addresses")
    func signOut() throws {
        let other = #"{"uid.utid":{"sign_in_state":"signed_in"}}"#
        try group.put(metadata(Self.signedIn), metadata(other, client: "b"))
        try cache.signOut(accountID: TestGroup.accountID)
        #expect(
            try map()
                == #"{"UID.utid":{"client_id":"client-a","home_account_id":"UID.utid","sign_in_state":"signed_out"}}"#
        )
        #expect(try map(client: "b") == other)
        let entry = try #require(try group.entries().first { $0.fields.clientID == "client-a" })
        #expect(entry.facts.text(.principalHomeAccountID) == "uid.utid")
        #expect(String(decoding: entry.facts.encoded(), as: UTF8.self).contains("[1.0]"))
    }

    @Test("a sign-in is written into it, and keeps its other members")
    func signIn() throws {
        try group.put(metadata(Self.signedIn.replacing("signed_in", with: "signed_out")))
        try TestResponse.signIn().save(in: cache)
        #expect(try map() == Self.signedIn)
    }

    @Test("a wipe takes the account out of it, for all clients, also as the principal one")
    func wipe() throws {
        try group.put(
            metadata(#"{"x.y":{"sign_in_state":"signed_in"},"uid.utid":{}}"#),
            metadata(#"{"uid.utid":{}}"#, client: "b")
        )
        try cache.wipe(accountID: TestGroup.accountID)
        #expect(try map() == #"{"x.y":{"sign_in_state":"signed_in"}}"#)
        #expect(try map(client: "b") == "{}")
        let entries = try group.entries()
        #expect(entries.allSatisfy { !$0.facts.has(.principalHomeAccountID) && !$0.facts.has(.principalUsername) })
    }

    @Test("a map that makes no sense stays as it is", arguments: ["[]", "5", #"{"a":"\ud800"}"#])
    func brokenMap(json: String) throws {
        try group.put(metadata(json))
        try cache.signOut(accountID: TestGroup.accountID)
        #expect(try map() == json)
    }

    // MARK: - Imported

    private static func document(_ state: String) -> Document {
        .sections([
            "AccessToken": [Document.accessToken(cachedAt: 1_699_999_000)],
            "Account": [Document.account(user: "uid.utid"), Document.account(user: "x.y", username: "x")],
            "AccountMetadataMap": [
                #""k": {"client_id": "Client", "account_metadata_map": {"UID.utid": {"sign_in_state": "\#(state)"}}}"#
            ],
        ])
    }

    /// The state that is imported, and what then is the case.
    static let states: [(String, lookup: String, isSignedIn: Bool)] = [
        ("signed_out", "interaction signedOut", false),
        ("signed_in", "valid at-secret", true),
        ("unknown", "valid at-secret", true),
        ("nonsense", "valid at-secret", true),
    ]

    @Test("has effect once it is imported", arguments: 0..<states.count)
    func imported(index: Int) throws {
        let (state, lookup, isSignedIn) = Self.states[index]
        let fixture = GroupFixture()
        let stored = try fixture.createGroup()
        try stored.take(Self.document(state))
        let cache = try stored.cache(clientID: "client", clock: TestClock())
        let query = TokenQuery(accountID: "uid.utid", scopes: ["user.read"], tenant: "contoso")
        #expect(try cache.token(for: query).summary() == lookup)
        #expect(try cache.accounts(matching: .all).map(\.isSignedIn) == [isSignedIn, false])
        #expect(try stored.give(ExportOptions(includesSignedOutAccounts: true)).value == Self.document(state).value)
    }

    /// The members of two entries of a client, what a lookup then answers, and whose the principal account is.
    static let ties: [(first: String, second: String, lookup: String, principal: String)] = [
        (entry("signed_in", "a.t"), entry("signed_out", "b.t"), "interaction signedOut", "b.t"),
        (entry("signed_out", "a.t"), entry("signed_in", "b.t"), "valid at-secret", "b.t"),
        (entry("signed_out", "a.t"), entry("unknown", ""), "interaction signedOut", "a.t"),
        (entry("signed_out", "a.t", changedAt: "9.5"), entry("signed_in", "b.t"), "interaction signedOut", "a.t"),
        (
            entry("signed_out", "a.t", changedAt: "9.5"), entry("signed_in", "b.t", changedAt: "9.25"),
            "interaction signedOut", "a.t"
        ),
    ]

    private static func entry(_ state: String, _ principal: String, changedAt: String? = nil) -> String {
        let time = changedAt.map { #""last_modification_time": "\#($0)", "# } ?? ""
        return #"{"client_id": "client", \#(time)"principal_home_account_id": "\#(principal)", "#
            + #""account_metadata_map": {"uid.utid": {"sign_in_state": "\#(state)"}}}"#
    }

    @Test("of two entries of a client, the newer counts, else the later in the document", arguments: ties.indices)
    func tied(index: Int) throws {
        let (first, second, lookup, principal) = Self.ties[index]
        let fixture = GroupFixture()
        let stored = try fixture.createGroup()
        try stored.take(
            .sections([
                "AccessToken": [Document.accessToken(cachedAt: 1_699_999_000)],
                "AccountMetadataMap": ["\"z\": \(first)", "\"a\": \(second)"],
            ])
        )
        let cache = try stored.cache(clientID: "client", clock: TestClock())
        let query = TokenQuery(accountID: "uid.utid", scopes: ["user.read"], tenant: "contoso")
        #expect(try cache.token(for: query).summary() == lookup)
        #expect(try cache.currentAccount().previous?.id.text == principal)
    }

    /// Imports, one after the other, and whether a lookup then finds the token: `T` is the token, `a=in@9` an entry with
    /// the key `a` that was changed at 9 and says `signed_in`; `!` replaces. `-` is a sign-out of ours.
    static let histories: [(steps: [String], isFound: Bool)] = [
        (["T a=out@5", "b=in@9"], false), (["T a=in@5", "b=out@9"], true), (["T a=out@5", "a=in@9"], false),
        (["T a=in@5", "a=out@9"], true), (["T a=in", "T a=in"], true),
        // An entry that is stored as it is counts as well.
        (["T a=out@9 b=in@5", "!T a=out@9 b=in@6"], false), (["T a=in b=out", "!T a=in@1 b=out"], true),
        (["T a=out@9 b=in@5", "!T a=out@9 b=out@6"], false), (["T a=in@9 b=out@5", "!T a=in@3"], true),
        // The order of the sections does not matter.
        (["-", "!T a=out"], false), (["-", "!a=out T"], false), (["-", "!T a=in"], true), (["-", "!a=in T"], true),
        // Replacing signs in again, whatever is stored.
        (["T a=out", "!T"], true), (["T a=out b=out@9", "!T a=in"], true), (["T a=in", "-", "!T"], true),
        (["-", "T"], false), (["-", "T", "!a=in"], false), (["T a=in", "!a=out"], false),
    ]

    @Test("decides the same in the group as after an export and an import", arguments: histories.indices)
    func history(index: Int) throws {
        let (steps, isFound) = Self.histories[index]
        let fixture = GroupFixture()
        let stored = try fixture.createGroup()
        // Closing a cache would close the group's store.
        let cache = try stored.cache(clientID: "client", clock: TestClock())
        for step in steps {
            guard step != "-" else {
                try cache.signOut(accountID: "uid.utid")
                continue
            }
            try stored.take(Self.document(ofWords: step), ImportOptions(replacesNewer: step.hasPrefix("!")))
        }
        let other = try fixture.createGroup(name: "other")
        try other.take(try stored.give(ExportOptions(includesSignedOutAccounts: true)))
        let again = try other.cache(clientID: "client", clock: TestClock())
        for (name, cache) in [("here", cache), ("there", again)] {
            let query = TokenQuery(accountID: "uid.utid", scopes: ["user.read"], tenant: "contoso")
            #expect(try cache.token(for: query).summary().hasPrefix("valid") == isFound, "\(steps), \(name)")
        }
    }

    private static func document(ofWords words: String) -> Document {
        let token = "\"AccessToken\": {\(Document.accessToken(cachedAt: 1_699_999_000))}"
        var (sections, entries): ([String], [String]) = ([], [])
        for word in words.trimmingPrefix("!").split(separator: " ") {
            let parts = word.split { $0 == "=" || $0 == "@" }.map(String.init)
            if parts[0] == "T" {
                sections.append(token)
            } else {
                if entries.isEmpty { sections.append("") }
                let time = parts.count > 2 ? parts[2] : nil
                entries.append("\"\(parts[0])\": " + entry("signed_" + parts[1], "", changedAt: time))
            }
        }
        let metadata = "\"AccountMetadataMap\": {\(entries.joined(separator: ", "))}"
        return Document("{" + sections.map { $0.isEmpty ? metadata : $0 }.joined(separator: ", ") + "}")
    }

    @Test("makes an account without tokens signed in")
    func signedInWithoutTokens() throws {
        let fixture = GroupFixture()
        let stored = try fixture.createGroup()
        try stored.take(
            .sections([
                "Account": [Document.account()],
                "AccountMetadataMap": [
                    #""k": {"client_id": "c", "account_metadata_map": {"uid.utid": {"sign_in_state": "signed_in"}}}"#
                ],
            ])
        )
        let (own, other) = try (
            stored.cache(clientID: "c", clock: TestClock()), stored.cache(clientID: "d", clock: TestClock())
        )
        #expect(try own.accounts().count == 1)
        #expect(try other.accounts().isEmpty)
    }

    /// The library's own state, whether an import is forced, and what is the case after an import of the other one.
    static let conflicts: [(SignInRecord.Value, Bool, String)] = [
        (.signedOut, false, "interaction signedOut"),
        (.signedIn, false, "valid at-secret"),
        (.unknown, false, "interaction signedOut"),
        (.signedIn, true, "interaction signedOut"),
    ]

    @Test("does not prevail over the library's own state, unless it is forced to", arguments: 0..<conflicts.count)
    func conflict(index: Int) throws {
        let (own, isForced, lookup) = Self.conflicts[index]
        let fixture = GroupFixture()
        let stored = try fixture.createGroup()
        try stored.take(.sections(["AccessToken": [Document.accessToken(cachedAt: 1_699_999_000)]]))
        try stored.note(own, client: "client", account: "uid.utid")
        let imported = own == .signedOut ? "signed_in" : "signed_out"
        try stored.take(
            .sections([
                "AccountMetadataMap": [
                    #""k": {"client_id": "client", "account_metadata_map": {"uid.utid": {"sign_in_state": "\#(imported)"}}}"#
                ]
            ]),
            ImportOptions(replacesNewer: isForced)
        )
        let cache = try stored.cache(clientID: "client", clock: TestClock())
        let query = TokenQuery(accountID: "uid.utid", scopes: ["user.read"], tenant: "contoso")
        #expect(try cache.token(for: query).summary() == lookup)
    }
}

extension CacheGroup {
    /// A cache on the store of this group, which must stay open as long.
    fileprivate func cache(clientID: String, clock: TestClock) throws -> TokenCache {
        try TokenCache(
            store: opened.store,
            unlockedKeys: opened.unlockedKeys,
            clientID: clientID,
            options: TokenCacheOptions(clock: clock.wallClock)
        )
    }
}
