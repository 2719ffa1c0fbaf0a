// SPDX-License-Identifier: Apache-2.0

import Foundation
import GroupDirectory
import Programs
import RecordStorage
import Testing

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

/// The state file, edited by somebody who can write the folder and has no keys.
@Suite("A forged state file")
struct ForgedStateTests {
    let fixture = HomeFixture()

    /// Whatever is done with the groups, journals and key files stay as they are.
    private func expectNothingDestroyed(_ code: TokenCacheError.Code, _ edit: (inout StoreText) -> Void) throws {
        try StoreText.edit(fixture.path("store"), edit)
        let before = fixture.treasures
        #expect(before.count == 4)
        #expect(try fixture.refusal()?.code == code)
        #expect(try fixture.refusal(access: .create)?.code == code)
        #expect(try fixture.refusal(.file(unlockedBy: .keyFile)) != nil)
        for target in [StorageChoice.file(unlockedBy: .keyFile), .keyring] {
            let opener = try fixture.opener()
            #expect(throws: StorageError.self) {
                let report = try opener.migrate(to: target, progress: nil, onStep: nil)
                // Said to be there already, and nothing was done.
                if !report.wasMoved { throw StorageError(.exists) }
            }
        }
        #expect(fixture.treasures == before)
        #expect(try fixture.refusal(name: "other") == nil)
    }

    init() throws {
        try fixture.create()
        try fixture.create(name: "other")
    }

    @Test("that names the store in use as a leftover destroys nothing")
    func ownStore() throws {
        try expectNothingDestroyed(.damaged) { $0["left-in"] = "file" }
    }

    @Test("that bears the UUID of another group destroys nothing of either", arguments: ["file", "keyring", nil])
    func otherGroup(leftover: String?) throws {
        let other = try fixture.uuid("other")
        try expectNothingDestroyed(leftover == "file" ? .damaged : .foreign) { text in
            text["group"] = other
            text["left-in"] = leftover
        }
    }

    @Test("that sends everybody to a keyring that cannot be reached destroys nothing")
    func noKeyring() throws {
        try expectNothingDestroyed(.keyringMissing) { text in
            text["storage"] = "keyring"
            text["left-in"] = "file"
        }
    }

    @Test("that is on its way to the store in use destroys nothing")
    func movingToItself() throws {
        try expectNothingDestroyed(.damaged) { text in
            text["phase"] = "moving"
            text["moving-to"] = "file"
        }
    }

    @Test("with an unauthenticated reason is not quoted, and not authenticated by another change")
    func reason() throws {
        let words = "ring 555-0100"
        #expect(try fixture.opener().open().location.reason == "the encrypted file was requested")
        try StoreText.edit(fixture.path("store")) { $0["reason"] = words }
        for command in [["stats"], ["stats", "--json"], ["doctor"]] {
            let done = try Program.cachetool.run(
                command + ["--group", "group", "--no-prompt"],
                environment: fixture.environment.merging(["PATH": "/usr/bin:/bin"]) { $1 }
            )
            if command[0] == "stats" { #expect(done.text.contains("not signed with the keys"), "\(done.messages)") }
            #expect(!done.text.contains(words))
        }
        let group = try fixture.opener().open()
        let keys = try #require(try group.keysAndSequence(until: .after(.seconds(20)))?.keys)
        try group.directory?.changeState(with: keys, until: .standard) { $0.isAnchorPending = true }
        #expect(try !String(contentsOfFile: fixture.path("store"), encoding: .utf8).contains(words))
        #expect(try !fixture.opener().open().location.reason.contains(words))
    }

    @Test(
        "a state file without a valid signature opens as before and needs no repair",
        arguments: ["mac", "reason"]
    )
    func unsigned(line: String) throws {
        try StoreText.edit(fixture.path("store")) { $0[line] = line == "mac" ? nil : "because I say so" }
        #expect(try fixture.refusal() == nil)
        #expect(try !fixture.opener().repair(isDryRun: true).wasDamaged)
    }
}
