// SPDX-License-Identifier: Apache-2.0

import Foundation
import GroupRecords
import Programs
import RecordStorage
import Testing
import UnifiedSchema

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

/// A group made by one import, with sign-outs and a renewed token behind it, to be spoiled and repaired over and over.
final class SalvageSample {
    /// Where the imported records lie.
    enum Shape: CaseIterable {
        /// In a transaction behind an empty snapshot.
        case transaction
        /// In a snapshot.
        case snapshot
    }

    struct Key: Hashable {
        let partition: PartitionTag
        let tag: RecordTag
    }

    struct Record {
        let kind: RecordKind
        let facts: BoxLocation
        let secret: BoxLocation
        /// Both boxes, as they lie in the file.
        let boxes: [UInt8]

        /// Whether one of its boxes reaches beyond `offset`.
        func reaches(_ offset: UInt64) -> Bool {
            [facts, secret].contains { $0.length > 0 && $0.offset + UInt64($0.length) > offset }
        }

        /// Whether one of its boxes lies on `offset`.
        func isHit(_ offset: UInt64) -> Bool {
            [facts, secret].contains { ($0.offset..<$0.offset + UInt64($0.length)).contains(offset) }
        }
    }

    static let client = "client"
    private static let accountCount = Scale.pick(40, release: 250)

    let fixture = GroupFixture()
    let shape: Shape
    /// The journal up to the end of its last transaction.
    private(set) var journal: [UInt8] = []
    private var revision = Data()
    private(set) var records: [Key: Record] = [:]
    /// Versions that were replaced.
    private(set) var older: Set<[UInt8]> = []
    /// Which accounts were signed out, and where the transaction ends that did it.
    private(set) var signOutEnds: [(account: String, end: Int)] = []
    /// The refresh token that was renewed.
    private var renewed: Key?
    private var blocksOffset = UInt64.max
    private var indexOffset = UInt64.max

    var signedOut: Set<String> { Set(signOutEnds.map(\.account)) }

    init(_ shape: Shape) throws {
        self.shape = shape
        let group = try fixture.createGroup()
        let users = (0..<Self.accountCount).map { "u\($0).t" }
        let secret = String(repeating: "x", count: 900)
        try group.take(
            .sections([
                "AccessToken": users.map { Document.accessToken(user: $0, secret: "at-\($0)-\(secret)") },
                "RefreshToken": users.map {
                    Document.refreshToken(user: $0, secret: "rt-\($0)-\(secret)", modified: 1)
                },
                "IdToken": users.map { Self.idToken($0, secret) },
                "Account": users.map { Document.account(user: $0, username: "\($0)@contoso.com") },
            ])
        )
        if shape == .snapshot { try group.compact() }
        records = try Self.read(group)
        try change(group) { try signOut(users[0]) }
        try change(group) {
            try group.take(
                .sections(["RefreshToken": [Document.refreshToken(user: users[2], secret: "newer", modified: 2)]])
            )
        }
        try change(group) { try signOut(users[1]) }
        try change(group) {
            try group.take(
                .sections(["RefreshToken": [Document.refreshToken(user: users[3], client: "other", modified: 2)]])
            )
        }
        group.close()
        let whole = try [UInt8](Data(contentsOf: URL(fileURLWithPath: fixture.path("journal"))))
        journal = Array(whole[..<((whole.lastIndex { $0 != 0 } ?? 0) / 8 * 8 + 8)])
        revision = try #require(fixture.contents("revision"))
        let header = journal
        func number(_ offset: Int) -> UInt64 {
            header[offset..<offset + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        blocksOffset = number(64)
        indexOffset = number(72)
    }

    /// Runs `body` and notes which versions it replaced or removed.
    private func change(_ group: CacheGroup, _ body: () throws -> Void) throws {
        try body()
        let now = try Self.read(group)
        for (key, record) in records where now[key]?.boxes != record.boxes {
            older.insert(record.boxes)
            if now[key] != nil, record.kind == RecordCodec.kind(.refreshToken) { renewed = key }
        }
        records = now
    }

    private func signOut(_ account: String) throws {
        let cache = try cache()
        try cache.signOut(accountID: Account.ID(account))
        cache.close()
        let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: fixture.path("journal"))))
        signOutEnds.append((account, (bytes.lastIndex { $0 != 0 } ?? 0) + 1))
    }

    private func cache() throws -> TokenCache {
        try TokenCache(group: "group", clientID: Self.client, root: fixture.scratch.path)
    }

    static func idToken(_ user: String, _ secret: String) -> String {
        """
        "\(user)-login.windows.net-idtoken-client-contoso-": {"credential_type": "IdToken", "secret": "\(secret)",
        "home_account_id": "\(user)", "environment": "login.windows.net", "client_id": "client", "realm": "contoso"}
        """
    }

    static func read(_ group: CacheGroup) throws -> [Key: Record] {
        let store = group.opened.store
        _ = try store.refresh(until: .after(.seconds(20)))
        var records: [Key: Record] = [:]
        for (partition, _) in try store.partitions(until: .after(.seconds(20))) {
            let contents = try store.contents(of: partition, until: .after(.seconds(20)))
            for (record, facts) in zip(contents.records, contents.facts) {
                let secret = try contents.reader.withBox(at: record.secret) { box throws(StorageError) in
                    (0..<box.byteCount).map { unsafe box.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
                }
                records[Key(partition: partition, tag: record.tag)] = Record(
                    kind: record.kind,
                    facts: record.facts,
                    secret: record.secret,
                    boxes: try #require(facts) + secret
                )
            }
        }
        return records
    }

    /// Puts a journal in the place of the one that is there, and takes away what an earlier repair left.
    func put(_ bytes: [UInt8], hasNote: Bool) throws {
        for (name, content) in [("journal", Data(bytes)), ("revision", revision)] {
            let path = fixture.path(name)
            if name == "revision", !hasNote {
                try? fixture.remove(name)
                continue
            }
            if !FileManager.default.fileExists(atPath: path) {
                #expect(
                    FileManager.default.createFile(
                        atPath: path,
                        contents: nil,
                        attributes: [.posixPermissions: 0o600]
                    )
                )
            }
            let file = try #require(FileHandle(forWritingAtPath: path))
            try file.truncate(atOffset: 0)
            try file.write(contentsOf: content)
            try file.close()
        }
        try? fixture.remove("quarantine")
    }

    /// Whether a flipped bit may cost a record: in its boxes, or where the snapshot has its rows.
    func mayLose(_ record: Record, flippedAt offset: UInt64) -> Bool {
        if record.isHit(offset) { return true }
        guard shape == .snapshot, offset >= blocksOffset, offset < indexOffset else { return false }
        // The head of a block stands before its facts: a flip in front of the first one that follows hits that head.
        return record.facts.offset > offset && record.facts.offset - offset < 4096
    }

    /// How many records a flip there may cost.
    func largestLoss(_ range: Range<UInt64>) -> Int {
        records.values.contains { $0.isHit(range.lowerBound) } ? 1 : shape == .snapshot ? 5 : 0
    }

    /// The group after a repair.
    struct Outcome {
        let summary: RepairReport
        let records: [Key: Record]
        let signedIn: Set<String>
        /// Records that were there and are not, or are marks that were written anew.
        let lostCount: Int
        /// Records that are as they were.
        let keptCount: Int
        /// Marks that were written anew in the place of others.
        let replacedCount: Int

        /// Whether the renewed token is the newest one, or none.
        func isNewestOrGone(_ sample: SalvageSample) -> Bool {
            guard let key = sample.renewed, let now = records[key] else { return true }
            return now.boxes == sample.records[key]?.boxes
        }
    }

    func outcome(_ summary: RepairReport) throws -> Outcome {
        let group = CacheGroup(try fixture.open(), timeout: .seconds(20))
        defer { group.close() }
        #expect(try group.verify().isSound)
        let now = try Self.read(group)
        let cache = try cache()
        defer { cache.close() }
        let same = records.filter { now[$0.key]?.boxes == $0.value.boxes }.count
        let older = now.filter { self.older.contains($0.value.boxes) }.count
        return Outcome(
            summary: summary,
            records: now,
            signedIn: Set(try cache.accounts().map(\.id.text)),
            lostCount: records.count - same,
            keptCount: same + older,
            replacedCount: records.filter { key, record in
                record.kind.rawValue >= 128 && now[key].map { $0.boxes != record.boxes } ?? false
            }.count
        )
    }
}
