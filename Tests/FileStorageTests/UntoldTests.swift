// SPDX-License-Identifier: Apache-2.0

import FileStorage
import Foundation
import RecordStorage
import SystemPackage
import Testing

@Suite("Records read by one handle are visible to all others")
struct UntoldTests {
    /// How somebody comes to read what nobody was told of.
    enum Reader: String, CaseIterable, Sendable {
        case refreshes, commits, opens
    }

    @Test("although its writer was killed before it announced it", arguments: Reader.allCases)
    func untold(how: Reader) throws {
        let group = try ScratchGroup()
        let first = try group.create()
        try first.write([Boxes.record(1, in: 1)])
        let other = try group.open()
        let page = group.path.appending("revision").string
        // The writer tells it on a page of its own that is gone afterwards: as if it had been killed before it could.
        try FileManager.default.moveItem(atPath: page, toPath: page + ".kept")
        try group.open().write([Boxes.record(2, in: 1)])
        try FileManager.default.removeItem(atPath: page)
        try FileManager.default.moveItem(atPath: page + ".kept", toPath: page)

        let known = other.revision.load()
        switch how {
        case .refreshes: _ = try first.refresh(until: .standard)
        // It reads the newest state and changes nothing.
        case .commits: try first.write()
        case .opens: _ = try group.open()
        }
        #expect(other.revision.load() != known)
        _ = try other.refresh(until: .standard)
        #expect(try other.facts(2, in: 1) != nil)
        let told = other.revision.load()
        _ = try first.refresh(until: .standard)
        _ = try group.open()
        #expect(other.revision.load() == told)
    }
}
