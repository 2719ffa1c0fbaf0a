// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import GroupRecords
import RecordStorage
import Testing
import UnifiedSchema

@testable import TokenCaching
@testable import TokenCachingTestSupport

private let now = TestEntry.start
private let hit = "valid at"

@Suite("Entries are read as their SDKs meant them")
struct ToleranceTests {
    @Test("times of every form, odd scopes and several spellings", arguments: rules)
    func tolerance(rule: MatchingCase) throws { try rule.check() }

    static let rules: [MatchingCase] = [
        MatchingCase(
            "times as numbers",
            [
                TestEntry.accessToken().with("cached_at", json: "\(now - 600)")
                    .with("expires_on", json: "\(now + 3000)")
            ],
            MatchingCase.query("user.read"),
            hit
        ),
        MatchingCase(
            "times as floats",
            [
                TestEntry.accessToken().with("cached_at", json: "\(now - 600).5")
                    .with("expires_on", json: "\(now + 3000).75").with("refresh_on", json: "\(now).25")
            ],
            MatchingCase.query("user.read"),
            "valid at renew"
        ),
        MatchingCase(
            "times as floats in text",
            [TestEntry.accessToken().with("expires_on", "\(now + 3000).0").with("cached_at", "\(now - 600).9")],
            MatchingCase.query("user.read"),
            hit
        ),
        MatchingCase(
            "an end with an exponent",
            [TestEntry.accessToken().with("expires_on", json: "1.9e9")],
            MatchingCase.query("user.read"),
            hit
        ),
        MatchingCase(
            "an end that is no number",
            [TestEntry.accessToken().with("expires_on", "tomorrow")],
            MatchingCase.query("user.read"),
            "interaction tokensExpired"
        ),
        MatchingCase(
            "an end beyond all numbers",
            [TestEntry.accessToken().with("expires_on", json: "1e400")],
            MatchingCase.query("user.read"),
            "interaction tokensExpired"
        ),
        MatchingCase(
            "an end that is null",
            [TestEntry.accessToken().with("expires_on", json: "null")],
            MatchingCase.query("user.read"),
            "interaction tokensExpired"
        ),
        MatchingCase(
            "scopes divided by tabs and line ends",
            [.accessToken(scopes: "User.Read\tMail.Read\r\nopenid")],
            MatchingCase.query("mail.read", "openid"),
            hit
        ),
        MatchingCase(
            "a control character is part of a scope",
            [.accessToken(scopes: "User.Read\u{1} Mail.Read")],
            MatchingCase.query("user.read"),
            "interaction refreshTokenMissing"
        ),
        MatchingCase(
            "a scope with a zero byte is another scope",
            [.accessToken(scopes: "user.read\u{0}x")],
            MatchingCase.query("user.read"),
            "interaction refreshTokenMissing"
        ),
        MatchingCase(
            "two spellings of one credential: the one that lives longest, whatever its key",
            [
                .accessToken("sorted", scopes: "Mail.Read User.Read", expiresOn: now + 1000),
                .accessToken("as sent", scopes: "user.read mail.read", environment: "login.windows.net"),
            ],
            MatchingCase.query("user.read"),
            "valid as sent"
        ),
        MatchingCase(
            "two spellings of one refresh token: the newest",
            [
                TestEntry.refreshToken("old", environment: "login.windows.net").with("cached_at", "1"),
                TestEntry.refreshToken("new", client: "CLIENT-A", account: " UID.utid").with("cached_at", "2"),
            ],
            MatchingCase.query("user.read"),
            "renew new"
        ),
        MatchingCase(
            "identities with white space around them",
            [TestEntry.accessToken(client: " client-a ", environment: " Login.MicrosoftOnline.com ", realm: " UTID")],
            MatchingCase.query("user.read"),
            hit
        ),
        MatchingCase(
            "an entry whose target is no text serves nobody",
            [TestEntry.accessToken().with("target", json: "[1]"), .refreshToken()],
            MatchingCase.query("user.read"),
            "renew rt"
        ),
        MatchingCase(
            "a family id that is no text makes an entry that means nothing here",
            [TestEntry.refreshToken(client: "b").with("family_id", json: "1")],
            MatchingCase.query("user.read"),
            "interaction accountUnknown"
        ),
    ]

    @Test("an unknown sign-in state is not a sign-out", arguments: [UInt8(0), 1, 2, 3, 200])
    func unknownState(raw: UInt8) throws {
        let group = try TestGroup()
        try group.put(.accessToken(), .refreshToken())
        let codec = group.codec
        let partition = try codec.partition(ofAccount: Array(TestGroup.account.utf8).rawSpan)
        let tag = try codec.signInStateTag(clientID: TestGroup.client, partition: partition)
        var record = InternalRecordFacts()
        record[text: .clientID] = TestGroup.client
        record[text: .account] = TestGroup.account
        record[bytes: .value] = [raw]
        try MemoryStore(group.backing).commit(until: .standard) { (context, batch) throws(StorageError) in
            try batch.put(
                try codec.seal(
                    facts: record.encoded().rawSpan,
                    secret: RawSpan(),
                    kind: InternalRecordKind.signInState.recordKind,
                    at: RecordAddress(tag: tag, partition: partition, searchTags: []),
                    in: context
                )
            )
        }
        let expected = raw == SignInRecord.Value.signedOut.rawValue ? "interaction signedOut" : hit
        #expect(try group.cache().token(for: MatchingCase.query("user.read")).summary() == expected)
    }
}
