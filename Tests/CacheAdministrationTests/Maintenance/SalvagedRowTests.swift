// SPDX-License-Identifier: Apache-2.0

import Foundation
import GroupRecords
import RecordStorage
import Testing
import UnifiedSchema

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

/// What rows say of boxes is believed where the head verifies that they stand in. Where it does not, the boxes decide.
@Suite("Records whose rows nothing vouches for")
struct SalvagedRowTests {
    let fixture = GroupFixture()

    /// A group with one entry of each of four kinds, of one account.
    private func group(_ shape: SalvageSample.Shape) throws -> [SalvageSample.Key: SalvageSample.Record] {
        let group = try fixture.createGroup()
        defer { group.close() }
        try group.take(
            .sections([
                "AccessToken": [Document.accessToken(user: "u.t", secret: "at")],
                "RefreshToken": [Document.refreshToken(user: "u.t", secret: "rt", modified: 1)],
                "IdToken": [SalvageSample.idToken("u.t", "it")],
                "Account": [Document.account(user: "u.t", username: "u@contoso.com")],
            ])
        )
        if shape == .snapshot { try group.compact() }
        return try SalvageSample.read(group)
    }

    private func put(_ journal: Data) throws {
        let file = try #require(FileHandle(forWritingAtPath: fixture.path("journal")))
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: journal)
        try file.close()
        try? fixture.remove("revision")
        try? fixture.remove("quarantine")
    }

    /// A flip in the tag of a row, or in its lengths, makes it that of no record, or has it say of an account that it has a
    /// secret, or of a token that it has none.
    @Test(
        "a flip anywhere in the rows and one in a secret cost the record of that secret",
        arguments: SalvageSample.Shape.allCases
    )
    func rows(shape: SalvageSample.Shape) throws {
        let records = try group(shape)
        let sound = try #require(fixture.contents("journal"))
        let token = try #require(records.first { $0.value.kind == RecordCodec.kind(.refreshToken) })
        let facts = try #require(records.values.map(\.facts.offset).min())
        let rowsByteCount: UInt64 = 400
        let nonceByteCount = 24
        var unreadableCount = 0
        for offset in max(4096, facts - rowsByteCount)..<facts {
            var journal = sound
            journal[Int(offset)] ^= 1
            journal[Int(token.value.secret.offset) + 30] ^= 1
            try put(journal)
            let summary = try fixture.opener().repair(isDryRun: false)
            let group = CacheGroup(try fixture.open(), timeout: .seconds(20))
            let now = try SalvageSample.read(group)
            group.close()
            #expect(now[token.key] == nil, "byte \(offset)")
            let lost = records.filter { $0.key != token.key && now[$0.key]?.boxes != $0.value.boxes }
            if shape == .snapshot, lost.count == records.count - 1 {
                // Without its nonce nothing of the head can be read, and nothing tells which transactions wrote its records.
                unreadableCount += 1
                continue
            }
            // A row of a snapshot alone says where a secret lies: that of a token may be lost with it.
            #expect(lost.count <= (shape == .snapshot ? 1 : 0), "byte \(offset)")
            #expect(lost.values.allSatisfy { $0.secret.length > 0 }, "byte \(offset)")
            let same = records.filter { now[$0.key]?.boxes == $0.value.boxes }.count
            #expect(summary.keptCount == same, "byte \(offset)")
        }
        #expect(unreadableCount <= nonceByteCount)
    }
}
