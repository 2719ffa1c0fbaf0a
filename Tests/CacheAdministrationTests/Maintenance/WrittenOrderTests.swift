// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("The order in which entries were written")
struct WrittenOrderTests {
    private let names = ["zeta", "alpha", "mu", "beta", "omega", "gamma"]
    private let fixture = GroupFixture()

    private func document(_ names: [String]) -> Document {
        .sections(["RefreshToken": names.map { Document.refreshToken(key: $0, client: $0) }])
    }

    private func order(_ group: CacheGroup) throws -> [String] {
        let text = try group.give().text
        let places = (names + ["later"]).compactMap { name in
            text.firstRange(of: "\"\(name)\"").map { (place: $0.lowerBound, name: name) }
        }
        return places.sorted { $0.place < $1.place }.map(\.name)
    }

    @Test("survives compaction, new keys and another import")
    func upkeep() throws {
        let group = try fixture.createGroup()
        try group.take(document(names))
        #expect(try order(group) == names)
        _ = try group.compact()
        #expect(try order(group) == names)
        _ = try group.rekey()
        #expect(try order(group) == names)
        try group.take(document(["later"] + names.reversed()))
        #expect(try order(group) == names + ["later"])
        group.close()
        #expect(try order(CacheGroup(fixture.open(), timeout: .seconds(20))) == names + ["later"])
    }

    @Test("is that of the last document that was imported by force", arguments: [0, 1, 3])
    func forced(movedCount: Int) throws {
        let group = try fixture.createGroup()
        try group.take(document(names))
        let moved = names[movedCount...] + names[..<movedCount]
        let report = try group.take(document(Array(moved)), ImportOptions(replacesNewer: true))
        #expect(report.counts.unchanged == names.count)
        #expect(try order(group) == Array(moved))
    }

    @Test("survives a repair")
    func repair() throws {
        let group = try fixture.createGroup()
        try group.take(document(names))
        group.close()
        _ = try fixture.opener().repair(isDryRun: false)
        #expect(try order(CacheGroup(fixture.open(), timeout: .seconds(20))) == names)
    }
}
