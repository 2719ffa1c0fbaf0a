// SPDX-License-Identifier: Apache-2.0

import Foundation
import GroupDirectory
import Programs
import Testing

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

/// A process is killed while it takes a group to another store.
@Suite("A killed migration", .serialized, .timeLimit(.minutes(Scale.pick(10, release: 240))))
struct KilledMigrationTests {
    typealias Store = MovingGroup.Store

    static let ways: [(Store, Store)] = [(.file, .keyring), (.keyring, .file), (.keyring, .fileWithKeyring)]

    @Test("loses nothing at any step, can be undone, and continues", arguments: ways, MigrationStep.allCases)
    func step(way: (from: Store, to: Store), step: MigrationStep) throws {
        let group = try MovingGroup(in: way.from)
        let before = try group.contents()
        try group.kill(to: way.to, at: "\(step)")
        // From here on the new store is the group's: what is left is to clear up.
        let isDecided = [.flipped, .wiped].contains(step)
        try group.move(to: isDecided ? way.to : way.from)
        #expect(try group.contents() == before)
        try group.expectOnly(in: isDecided ? way.to : way.from)

        if isDecided { try group.move(to: way.from) }
        try group.kill(to: way.to, at: "\(step)")
        try group.move(to: way.to)
        #expect(try group.contents() == before)
        try group.expectOnly(in: way.to)
    }

    @Test("leaves nothing in the old place once the group is opened to write", arguments: ways)
    func leftover(way: (from: Store, to: Store)) throws {
        let group = try MovingGroup(in: way.from)
        let before = try group.contents()
        try group.kill(to: way.to, at: "\(MigrationStep.flipped)")
        // Who only reads changes nothing.
        #expect(try group.run("list").exitCode == 0)
        #expect(try group.fixture.state?.leftover != nil)
        let findings = try group.run("doctor")
        #expect(findings.text.contains("may still contain records that were migrated from it"), "\(findings.text)")
        _ = try group.fixture.open()
        try group.expectOnly(in: way.to)
        #expect(try group.contents() == before)
    }

    @Test("loses nothing whenever it is killed, and continues")
    func moment() throws {
        let group = try MovingGroup(in: .file)
        let before = try group.contents()
        let times = try [Store.keyring, .file].map { store in
            let start = ContinuousClock.now
            try group.move(to: store)
            return ContinuousClock.now - start
        }
        // On a busy machine one run takes several times as long as the next: what comes to its end is no harm.
        let once = min(times[0], times[1])
        let count = Scale.pick(12, release: 200)
        var kills = 0
        for round in 0..<count {
            // Spread over all that it does; every other one is taken back where that is possible.
            let target: Store = round % 4 < 2 ? .keyring : .file
            let running = try group.start(["migrate"] + target.target)
            usleep(UInt32((once * round / count).components.attoseconds / 1_000_000_000_000))
            running.kill()
            if try running.finish().exitCode == nil { kills += 1 }
            if round.isMultiple(of: 2) {
                try group.move(to: target == .keyring ? .file : .keyring)
                #expect(try group.contents() == before)
            }
            try group.move(to: target)
            #expect(try group.contents() == before)
            try group.expectOnly(in: target)
        }
        #expect(kills > 0, "no kill met it")
    }
}
