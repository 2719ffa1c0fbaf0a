// SPDX-License-Identifier: Apache-2.0

import RecordStorage
import Testing

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Findings about the entries of a group")
struct ExaminationTests {
    private let fixture = GroupFixture()

    /// An access token that ends at `expiresOn`.
    private func token(_ scope: String, expiresOn: Int64) -> String {
        Document.accessToken(scopes: scope, cachedAt: 1_000).replacing("\"4600\"", with: "\"\(expiresOn)\"")
    }

    private func findings(_ tokens: [String]) throws -> [ExaminationFinding] {
        let group = try fixture.createGroup()
        try group.take(.sections(["AccessToken": tokens]))
        group.close()
        return try CacheGroup.examine("group", root: fixture.scratch.path, timeout: .seconds(20))
    }

    @Test("tokens that say to end in more than a century are counted, and nothing is wrong with the group")
    func absurdEnds() throws {
        let milliseconds = (WallClock.system.now().secondsSince1970 + 3600) * 1000
        let findings = try findings([
            token("a", expiresOn: milliseconds), token("b", expiresOn: .max), token("c", expiresOn: 4_102_444_800),
            token("d", expiresOn: 0),
        ])
        let found = findings.filter { $0.text.contains("a century") }
        #expect(found.map(\.topic) == [.accounts] && found.map(\.level) == [.note])
        #expect(found.first?.text.hasPrefix("2 access tokens say to end") == true)
        #expect(found.first?.text.hasSuffix("they count as expired") == true)
        #expect(!findings.contains { $0.topic == .opening && $0.level == .problem })
    }

    @Test("nothing is said of ends that can be meant")
    func properEnds() throws {
        let findings = try findings([token("a", expiresOn: 4_102_444_800), token("b", expiresOn: 0)])
        #expect(!findings.contains { $0.text.contains("century") })
    }

    @Test(
        "of a large group some records are opened, and their number is told",
        arguments: [(1, "1 of 3 records were"), (100_000, "all 3 records")]
    )
    func largeGroup(unaskedByteCount: UInt64, text: String) throws {
        let group = try fixture.createGroup()
        let users = ["a.t", "b.t", "c.t"]
        try group.take(.sections(["AccessToken": users.map { Document.accessToken(user: $0, secret: "s") }]))
        group.close()
        let found = try examined(unaskedByteCount: unaskedByteCount)
        #expect(found.map(\.text).first?.hasPrefix(text) == true, "\(found)")
        #expect((found.first?.level == .note) == (unaskedByteCount == 1))
        #expect(found.first?.advice == (unaskedByteCount == 1 ? "cachetool doctor --full opens them all." : nil))
    }

    private func examined(unaskedByteCount: UInt64) throws -> [ExaminationFinding] {
        let root = fixture.scratch.path
        var examination = GroupExamination(
            location: try GroupLocation("group", root: root, environment: Environment.folders),
            root: root,
            storage: .automatic,
            fallbackUnlocking: [],
            timeout: .seconds(20),
            prompts: .never,
            probesWriting: false,
            checksAllRecords: false,
            unaskedByteCount: unaskedByteCount,
            requiresUsableAccounts: false,
            progress: nil,
            deadline: .after(.seconds(20))
        )
        examination.run()
        return examination.findings.filter { $0.topic == .records }
    }
}
