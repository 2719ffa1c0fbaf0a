// SPDX-License-Identifier: Apache-2.0

import GroupRecords
import Testing

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Import and export of accounts that were signed out")
struct SignedOutAccountTests {
    let fixture = GroupFixture()

    static let document = Document.sections([
        "AccessToken": [Document.accessToken(), Document.accessToken(client: "other")],
        "RefreshToken": [Document.refreshToken(), Document.refreshToken(client: "other")],
        "Account": [Document.account()],
    ])

    @Test("an import restores nothing that a client signed out of, and does not affect other clients")
    func keepsOut() throws {
        let group = try fixture.createGroup()
        try group.note(.signedOut, client: "client", account: "uid.utid")
        let report = try group.take(Self.document)
        #expect(report.counts.signedOut == 2)
        #expect(report.counts.new == 3)
        let given = try group.give()
        #expect(given.keys("RefreshToken") == ["uid.utid-login.windows.net-refreshtoken-other--"])
        #expect(given.keys("Account").count == 1)
    }

    @Test(
        "what has no id is a part of the account with its username, in its cloud",
        arguments: [
            ("client", "Ann@contoso.com", "login.windows.net", true),
            ("other", "ann@contoso.com", "login.windows.net", false),
            ("client", "bob@contoso.com", "login.windows.net", false),
            ("client", "ann@contoso.com", "login.chinacloudapi.cn", false),
            ("client", "ann@contoso.com", "login.microsoftonline.com", true),
        ]
    )
    func nameless(client: String, username: String, host: String, isSignedOut: Bool) throws {
        let group = try fixture.createGroup()
        try group.take(.sections(["Account": [Document.account(username: "ann@contoso.com")]]))
        try group.note(.signedOut, client: "client", account: "uid.utid")
        let members = #""username": "\#(username)", "client_id": "\#(client)", "environment": "\#(host)""#
        let document = Document.sections(["RefreshToken": [#""k": {\#(members), "secret": "t"}"#]])
        let counts = try group.take(document).counts
        #expect([counts.signedOut, counts.new] == (isSignedOut ? [1, 0] : [0, 1]))
        #expect(try group.take(document, ImportOptions(replacesNewer: true)).counts.new == (isSignedOut ? 1 : 0))
        // Replacing signed the client in again.
        let more = Document.sections(["IdToken": [#""i": {\#(members), "secret": "t"}"#]])
        #expect(try group.take(more).counts.new == 1)
    }

    /// The account with an id that is imported, the one that is there besides, and whether the sign-out holds.
    static let named: [(client: String, username: String, besides: String, isSignedOut: Bool)] = [
        ("client", "Ann@contoso.com", "", true),
        ("client", "ann@contoso.com", Document.account(username: "ann@contoso.com"), true),
        ("client", "bob@contoso.com", "", false),
        ("other", "ann@contoso.com", "", false),
        ("client", "ann@contoso.com", Document.account(user: "someone.else", username: "ann@contoso.com"), false),
    ]

    @Test("a sign-out of an account without an id holds for the one with its username", arguments: named.indices)
    func nameless(index: Int) throws {
        let (client, username, besides, isSignedOut) = Self.named[index]
        let group = try fixture.createGroup()
        let nameless = #""n": {"environment": "login.microsoftonline.com", "username": "ann@contoso.com"}"#
        try group.take(.sections(["Account": besides.isEmpty ? [nameless] : [nameless, besides]]))
        try group.note(.signedOut, client: "client", account: "ann@contoso.com", isUsername: true)
        let document = Document.sections([
            "RefreshToken": [Document.refreshToken(client: client)], "Account": [Document.account(username: username)],
        ])
        #expect(try group.take(document).counts.signedOut == (isSignedOut ? 1 : 0))
        try group.note(.signedIn, client: "client", account: "uid.utid")
        #expect(try group.take(document).counts.signedOut == 0)
    }

    @Test("a client that signed in again gets everything")
    func signedInAgain() throws {
        let group = try fixture.createGroup()
        try group.note(.signedOut, client: "client", account: "uid.utid")
        try group.note(.signedIn, client: "client", account: "uid.utid")
        #expect(try group.take(Self.document).counts.new == 5)
    }

    @Test("spelling an account or a client in capitals does not get around a sign-out")
    func capitals() throws {
        let group = try fixture.createGroup()
        try group.note(.signedOut, client: "client", account: "uid.utid")
        let shouted = Document.sections(["RefreshToken": [Document.refreshToken(user: "UID.utid", client: "CLIENT")]])
        #expect(try group.take(shouted).counts.signedOut == 1)
    }

    @Test("replacing brings everything back and signs the client in")
    func replacing() throws {
        let group = try fixture.createGroup()
        try group.note(.signedOut, client: "client", account: "uid.utid")
        let report = try group.take(Self.document, ImportOptions(replacesNewer: true))
        #expect(report.counts.new == 5)
        #expect(try group.give().value == Self.document.value)
        #expect(try group.take(Self.document).counts.unchanged == 5)
    }

    @Test("an account that every client signed out of is left out of an export, unless all is asked for")
    func export() throws {
        let group = try fixture.createGroup()
        let other = Document.sections(["Account": [Document.account(user: "someone.else")]])
        try group.take(.sections(["Account": [Document.account()]]))
        try group.take(other)
        try group.note(.signedOut, client: "client", account: "uid.utid")
        let report = try group.exportEntries(to: .sink { (_) throws(TokenCacheError) in })
        #expect(report.signedOutCount == 1)
        #expect(try group.give().value == other.value)
        #expect(try group.give(ExportOptions(includesSignedOutAccounts: true)).keys("Account").count == 2)
    }

    @Test("an account that one client is still signed in to is exported")
    func partlySignedOut() throws {
        let group = try fixture.createGroup()
        try group.take(Self.document)
        try group.note(.signedOut, client: "client", account: "uid.utid")
        #expect(try group.give().value == Self.document.value)
        try group.note(.signedOut, client: "other", account: "uid.utid")
        #expect(try group.give().sections.isEmpty)
        try group.note(.signedIn, client: "third", account: "uid.utid")
        #expect(try group.give().keys("Account").count == 1)
    }
}
