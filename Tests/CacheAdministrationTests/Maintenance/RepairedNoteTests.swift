// SPDX-License-Identifier: Apache-2.0

import Foundation
import RecordStorage
import Testing

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("A repair puts notes of refusals back", .timeLimit(.minutes(10)))
struct RepairedNoteTests {
    let fixture = GroupFixture()

    private func cache() throws -> TokenCache {
        try TokenCache(group: "group", clientID: TestGroup.client, root: fixture.scratch.path)
    }

    /// Where the next transaction begins: behind the last one there is only room, zeros.
    private func journalEnd() throws -> Int {
        let bytes = try #require(fixture.contents("journal"))
        return (try #require(bytes.lastIndex { $0 != 0 }) + 8) / 8 * 8
    }

    @Test(
        "where the head of the transaction that wrote one is spoiled nobody is signed out, and the note stands",
        arguments: [(400, "interaction_required"), (400, "invalid_grant"), (503, "server_error")]
    )
    func spoiledHead(status: Int, error: String) throws {
        try fixture.create().store.close()
        let query = MatchingCase.query("user.read", account: "bob", tenant: nil, environment: nil)
        let writing = try cache()
        try TestResponse.signIn().save(in: writing)
        try TestResponse.signIn(claims: ["sub": "bob"], clientInfo: nil).with("access_token", nil).asked {
            $0.environment = "idp.example.org"
            $0.tenant = "realm"
        }.save(in: writing)
        let start = try journalEnd()
        let body = Array("{\"error\":\"\(error)\"}".utf8)
        let first = try told {
            try writing.renewSynchronously(query) { _ in try .httpResponse(status: status, body: body) }
        }
        #expect(first == (status == 400 ? "interaction renewalRefused" : "renewalUnavailable 503"))
        #expect(try journalEnd() > start)
        writing.close()

        var bytes = try #require(fixture.contents("journal"))
        // Behind the lead.
        bytes[start + 60] ^= 1
        let file = try #require(FileHandle(forWritingAtPath: fixture.path("journal")))
        try file.write(contentsOf: bytes)
        try file.close()
        // What a reader would take for a torn end is damage as long as this says that it was complete.
        let summary = try fixture.opener().repair(isDryRun: false)
        #expect(summary.isRepaired && summary.signedOutAccountCount == 0 && summary.lostCount == 0, "\(summary)")

        let repaired = try cache()
        defer { repaired.close() }
        #expect(try Set(repaired.accounts().map(\.id)) == [TestGroup.accountID, "bob"])
        let again = try told {
            try repaired.renewSynchronously(query) { _ in
                Issue.record("a server was asked")
                return .unavailable
            }
        }
        #expect(again == first)
    }

    /// What comes of a renewal; of a server in trouble what it said.
    private func told(_ body: () throws -> TokenResult) throws -> String {
        do {
            return try body().summary()
        } catch let error as TokenCacheError {
            return "\(error.code) \(error.errorResponse?.status ?? 0)"
        }
    }
}
