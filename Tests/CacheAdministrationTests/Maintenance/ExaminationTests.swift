// SPDX-License-Identifier: Apache-2.0

import Foundation
import RecordStorage
import SeededRandom
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
        return try GroupReference("group", root: fixture.scratch.path, timeout: .seconds(20)).examine()
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
        #expect(found.first?.text.hasPrefix("2 access tokens claim to expire") == true)
        #expect(found.first?.text.hasSuffix("and count as expired") == true)
        #expect(!findings.contains { $0.topic == .opening && $0.level == .problem })
    }

    @Test("nothing is said of ends that can be meant")
    func properEnds() throws {
        let findings = try findings([token("a", expiresOn: 4_102_444_800), token("b", expiresOn: 0)])
        #expect(!findings.contains { $0.text.contains("century") })
    }

    @Test(
        "every file of the group has to be safe, whichever store it belongs to",
        arguments: ["store", "journal", "items"]
    )
    func files(name: String) throws {
        try fixture.createGroup().close()
        let path = fixture.path(name)
        // The list of items of a group in the keyring.
        if name == "items" { #expect(FileManager.default.createFile(atPath: path, contents: nil)) }
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        let sound = try examined().filter { $0.topic == .files }
        #expect(sound.map(\.level) == [.fine] && sound.first?.text.contains(name) == true, "\(sound)")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        let found = try examined().filter { $0.topic == .files }
        #expect(found.map(\.error?.code) == [.unsafePermissions], "\(found)")
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
        let found = try examined(unaskedByteCount: unaskedByteCount).filter { $0.topic == .records }
        #expect(found.map(\.text).first?.hasPrefix(text) == true, "\(found)")
        #expect((found.first?.level == .note) == (unaskedByteCount == 1))
        #expect(found.first?.advice == (unaskedByteCount == 1 ? "cachetool doctor --full opens them all." : nil))
    }

    @Test("of a large group, every damaged bit that a verification finds is found where all records are asked for")
    func damagedBits() throws {
        let group = try fixture.createGroup()
        let users = (0..<20).map { "u\($0).t" }
        try group.take(.sections(["AccessToken": users.map { Document.accessToken(user: $0, secret: "s") }]))
        group.close()
        let journal = URL(filePath: fixture.path("journal"))
        let sound = try Data(contentsOf: journal)
        let used = try #require(sound.lastIndex { $0 != 0 })
        var random = SeededGenerator(seed: RunSeed.value)
        var (found, missedUnasked) = (0, 0)
        for _ in 0..<100 {
            let (byte, bit) = (Int.random(in: 0...used, using: &random), UInt8.random(in: 0..<8, using: &random))
            var spoiled = sound
            spoiled[byte] ^= 1 << bit
            try overwrite(journal, spoiled)
            if !verifies() {
                found += 1
                let findings = try examined(unaskedByteCount: 1, checksAllRecords: true)
                #expect(findings.contains { $0.level == .problem }, "bit \(bit) of byte \(byte)")
                let part = try examined(unaskedByteCount: 1)
                if !part.contains(where: { $0.level == .problem }) { missedUnasked += 1 }
            }
            try overwrite(journal, sound)
        }
        // Otherwise nothing was damaged, or nothing depended on the request.
        #expect(found > 30 && missedUnasked > 0, "\(found) found, \(missedUnasked) of them not without the request")
    }

    private func verifies() -> Bool {
        guard let group = try? CacheGroup(fixture.open(access: .readOnly)) else { return false }
        defer { group.close() }
        return (try? group.verify().isSound) ?? false
    }

    /// In place: the file keeps its number and mode.
    private func overwrite(_ file: URL, _ bytes: Data) throws {
        let handle = try FileHandle(forWritingTo: file)
        try handle.write(contentsOf: bytes)
        try handle.close()
    }

    private func examined(
        unaskedByteCount: UInt64 = 64 << 20,
        checksAllRecords: Bool = false
    ) throws -> [ExaminationFinding] {
        let reference = GroupReference("group", root: fixture.scratch.path, timeout: .seconds(20))
        var examination = GroupExamination(
            reference: reference,
            location: try reference.location,
            probesWriting: false,
            checksAllRecords: checksAllRecords,
            unaskedByteCount: unaskedByteCount,
            requiresUsableAccounts: false,
            progress: nil,
            deadline: .after(.seconds(20))
        )
        examination.run()
        return examination.findings
    }
}
