// SPDX-License-Identifier: Apache-2.0

import Foundation
import GroupDirectory
import Programs
import RecordStorage
import SeededRandom
import Testing

@testable import CacheAdministration
@testable import SecretServiceStorage
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
        try group.kill(to: way.to, at: "\(MigrationStep.flipped)")
        // Who only reads changes nothing.
        #expect(try group.run("list").exitCode == 0)
        #expect(try group.fixture.state?.leftover != nil)
        let findings = try group.run("doctor")
        #expect(findings.text.contains("may still contain records of the group"), "\(findings.text)")
        // Neither did that.
        #expect(try group.fixture.state?.leftover != nil)
        #expect(group.fixture.scratch.files.contains("group/journal"))
        #expect(try group.fixture.itemCount(.key) == 1)
        // While something keeps it from going, a sign-out says that the old place still has the account.
        let lock = try group.fixture.directory().lock(.keys, until: .standard)
        let signedOut = try group.run("sign-out", "user1.contoso", "--client", MovingGroup.client, "--yes")
        #expect(signedOut.exitCode == 0)
        #expect(
            signedOut.messages.contains("including those of accounts that have signed out since"),
            "\(signedOut.messages)"
        )
        lock.release()
        let before = try group.contents()
        _ = try group.fixture.open()
        try group.expectOnly(in: way.to)
        #expect(try group.contents() == before)
    }

    @Test(
        "a killed migration blocks no reader and loses nothing, and the next opening for writing removes its remains"
    )
    func moment() throws {
        let group = try MovingGroup(in: .file)
        let times = try [Store.keyring, .file].map { store in
            let start = ContinuousClock.now
            try group.move(to: store)
            return ContinuousClock.now - start
        }
        // On a busy machine one run takes several times as long as the next: what comes to its end is no harm.
        let longest = UInt32(min(times[0], times[1]) / .microseconds(1))
        var generator = SeededGenerator(stream: 41)
        var (now, kills, leftovers) = (Store.file, 0, 0)
        for round in 0..<Scale.pick(16, release: 200) {
            // Acknowledged right before.
            try group.add(account: MovingGroup.accountCount + round)
            let before = try group.contents()
            let target: Store = now == .file ? .keyring : .file
            let running = try group.start(["migrate"] + target.target)
            usleep(UInt32.random(in: 0..<longest, using: &generator))
            running.kill()
            if try running.finish().exitCode == nil { kills += 1 }

            let state = try #require(try group.fixture.state)
            now = StorageLocation.Kind(state.storage) == .file ? .file : .keyring
            let reader = try group.run("list")
            #expect(reader.exitCode == 0, "\(reader.messages)")
            if !state.otherStores.isEmpty {
                leftovers += 1
                #expect(reader.messages.contains("may still contain records"), "\(state)")
                #expect(try group.run("doctor").text.contains("may still contain records"))
                #expect(try group.fixture.state == state)
            }
            #expect(try group.contents() == before)
            let writer = try group.fixture.open()
            #expect(writer.leftoverProblem == nil)
            writer.store.close()
            try group.expectOnly(in: now)
            #expect(try group.contents() == before)
        }
        #expect(kills > 0, "no kill met it")
        print("\(kills) kills, \(leftovers) leftovers")
    }
}
