// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import Testing

/// A dropped sync is seen by no kill of a process, only by a cut of power or by a look at the order of calls.
@Suite("the order of syncs", .timeLimit(.minutes(10)))
struct SyncOrderTests {
    private let group: ScratchGroup
    private let program: TracedProgram

    init() throws {
        group = try ScratchGroup()
        program = TracedProgram(group: group)
    }

    /// Runs a command and expects that everything it did was durable when it had to be.
    @discardableResult
    private func expectDurability(
        _ arguments: String...,
        by tool: Program = .cachetool,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> [String] {
        let (finished, order) = try program.trace(arguments, by: tool)
        #expect(finished.exitCode == 0, "\(finished.messages)", sourceLocation: sourceLocation)
        #expect(order.problems.isEmpty, "\(order.events)", sourceLocation: sourceLocation)
        return order.events
    }

    /// Expects these events among others, in this order.
    private func expect(
        _ expected: [String],
        in events: [String],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var rest = events[...]
        for event in expected {
            guard let index = rest.firstIndex(where: { $0.hasPrefix(event) }) else {
                Issue.record("no “\(event)” where it is due in \(events)", sourceLocation: sourceLocation)
                return
            }
            rest = rest[(index + 1)...]
        }
    }

    private func fill() throws {
        try #require(group.attempt("import", ScratchGroup.sample).exitCode == 0)
    }

    @Test("a group that is made has its folder, state and key on the disk before the journal that needs them")
    func create() throws {
        let events = try expectDurability("import", ScratchGroup.sample)
        expect(
            [
                "make test", "put test/store", "sync test", "put .keys/", "sync .keys", "put test/journal", "sync test",
                "put test/store", "sync test",
            ],
            in: events
        )
    }

    @Test("a group that is made by a save has everything on the disk before the save is acknowledged")
    func createBySave() throws {
        let events = try expectDurability("save", "--count", "1", by: .groupWorker)
        expect(["put .keys/", "sync .keys", "put test/journal", "sync test", "write test/journal"], in: events)
        expect(["write test/journal", "sync test/journal"], in: events)
    }

    @Test("each save is on the disk before it is announced and before it is acknowledged")
    func save() throws {
        try fill()
        let events = try expectDurability("save", "--count", "5", "--accounts", "2", by: .groupWorker)
        #expect(events.count { $0 == "sync test/journal" } >= 5)
        expect(["write test/journal", "sync test/journal", "write test/journal", "sync test/journal"], in: events)
    }

    @Test("an import into a group is on the disk before it is reported")
    func importing() throws {
        try #require(Program.groupWorker.run(["save"] + group.options).exitCode == 0)
        expect(["write test/journal", "sync test/journal"], in: try expectDurability("import", ScratchGroup.sample))
    }

    @Test("a sign-out is on the disk, with its secrets overwritten, before the program ends")
    func signOut() throws {
        try #require(
            Program.groupWorker.run(["save", "--count", "3", "--accounts", "3"] + group.options).exitCode == 0
        )
        let events = try expectDurability("sign-out", "--accounts", "3", by: .groupWorker)
        // A frame and its sync, then what is written over the boxes, and its sync.
        let pair = ["write test/journal", "sync test/journal"]
        expect(pair + pair, in: events)
    }

    @Test(
        "a new journal is on the disk before it takes its name, and its name before the program ends",
        arguments: [["compact"], ["clear", "--all", "--yes"]]
    )
    func replace(arguments: [String]) throws {
        try fill()
        let (finished, order) = try program.trace(arguments)
        #expect(finished.exitCode == 0, "\(finished.messages)")
        #expect(order.problems.isEmpty, "\(order.events)")
        expect(arguments == ["compact"] ? ["put test/journal", "sync test"] : ["write test/journal"], in: order.events)
    }

    @Test("new keys are on the disk before the journal that needs them, and old ones go when nothing needs them")
    func rekey() throws {
        try fill()
        let events = try expectDurability("rekey", "--yes")
        expect(
            ["put .keys/", "sync .keys", "put test/journal", "sync test", "remove .keys/", "sync .keys"],
            in: events
        )
    }

    @Test("a key file that a killed change of keys left goes after the names in the folder are on the disk")
    func rekeyAfterAKill() throws {
        try fill()
        try #require(group.attempt(["rekey", "--yes"]).exitCode == 0)
        // As one that was made for the first keys.
        try shell(
            #"key=$(find "$1/.keys" -type f); old="${key%.epoch2*}.epoch1.1"; head -c 32 /dev/urandom >"$old"; chmod 600 "$old""#,
            group.root.path
        )
        let events = try expectDurability("rekey", "--yes")
        expect(["sync test", "remove .keys/", "put test/journal"], in: events)
    }

    @Test("a slot that is added or removed has its key on the disk before the journal, and takes it away after")
    func slots() throws {
        try fill()
        let key = group.root.path + "/key"
        let events = try expectDurability("slots", "add", "--new-key-file", key)
        expect(["put key", "sync the root", "put test/journal", "sync test"], in: events)
    }

    @Test("an exported document is on the disk before it takes its name")
    func export() throws {
        try fill()
        let events = try expectDurability("export", "--all", "--yes", group.root.path + "/document")
        expect(["put document", "sync the root"], in: events)
    }

    @Test("lists, lookups and verifications change nothing that lasts", arguments: ["list", "accounts", "verify"])
    func read(command: String) throws {
        try fill()
        #expect(try expectDurability(command).isEmpty)
    }

    @Test("a group that moves into a keyring and back takes its old place away when the new one is on the disk")
    func migrate() throws {
        let group = try ScratchGroup(in: PrivateKeyring())
        let program = TracedProgram(group: group)
        try #require(
            group.attempt(["import", ScratchGroup.sample, "--storage", "file"]).exitCode == 0
        )
        let name = group.name
        let there = try program.trace(["migrate", "--to", "keyring"])
        #expect(there.finished.exitCode == 0, "\(there.finished.messages)")
        #expect(there.order.problems.isEmpty, "\(there.order.events)")
        expect(["remove \(name)/journal", "sync \(name)", "put \(name)/store", "sync \(name)"], in: there.order.events)
        let back = try program.trace(["migrate", "--to", "file"])
        #expect(back.finished.exitCode == 0, "\(back.finished.messages)")
        #expect(back.order.problems.isEmpty, "\(back.order.events)")
        expect(["put \(name)/journal", "sync \(name)", "put \(name)/store", "sync \(name)"], in: back.order.events)
    }
}
