// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import Testing

/// A journal that is not this group's, or that this version cannot read.
@Suite("foreign and damaged journals", .timeLimit(.minutes(10)))
struct ForeignJournalTests {
    /// Opens with every kind of command and expects the same refusal from each, and not a byte changed.
    private func expectRefusal(of group: ScratchGroup, saying word: String) throws {
        let before = try group.root.fingerprint()
        for command in ["list", "accounts", "stats", "verify"] {
            let outcome = try group.attempt(command)
            #expect(outcome.exitCode == ExitCode.corrupt, "\(command): \(outcome.messages)")
            #expect(!outcome.messages.isEmpty)
        }
        let written = try group.attempt("import", ScratchGroup.sample)
        #expect(written.exitCode == ExitCode.corrupt, "\(written.messages)")
        #expect(written.messages.localizedCaseInsensitiveContains(word), "\(written.messages)")
        #expect(try group.root.fingerprint() == before)
    }

    @Test("an empty journal is damage, not an empty group")
    func refusesAnEmptyJournal() throws {
        let group = try ScratchGroup.filled()
        try group.replaceJournal(with: Data())
        try expectRefusal(of: group, saying: "journal")
    }

    @Test("a journal cut off in its header is damage", arguments: [1, 7, 8, 64, 127, 2048, 4095])
    func refusesATruncatedHeader(length: Int) throws {
        let group = try ScratchGroup.filled()
        try group.replaceJournal(with: try group.journal.prefix(length))
        try expectRefusal(of: group, saying: "journal")
    }

    @Test("a newer major version is refused and never rewritten")
    func refusesANewerMajorVersion() throws {
        let group = try ScratchGroup.filled()
        var journal = try group.journal
        journal[8] = 3
        try group.replaceJournal(with: journal)
        try expectRefusal(of: group, saying: "newer")
    }

    @Test("another program's file is refused")
    func refusesAnotherProgramsFile() throws {
        let group = try ScratchGroup.filled()
        try group.replaceJournal(with: Data("SQLite format 3\u{0}".utf8) + Data(repeating: 0, count: 8176))
        try expectRefusal(of: group, saying: "journal")
    }

    @Test("the journal of another group is refused, though its key is at hand")
    func refusesTheJournalOfAnotherGroup() throws {
        let group = try ScratchGroup.filled()
        let other = try group.attempt("import", ScratchGroup.sample)
        #expect(other.exitCode == ExitCode.success)
        let second = Program.cachetool
        let made = try second.run(["import", ScratchGroup.sample, "--root", group.root.path, "--group", "other"])
        #expect(made.exitCode == ExitCode.success, "\(made.messages)")
        try group.replaceJournal(with: Data(contentsOf: URL(filePath: group.root.path + "/other/journal")))
        try expectRefusal(of: group, saying: "group")
    }

    @Test("a group without its journal is an error, never a new group")
    func refusesAGroupWithoutJournal() throws {
        let group = try ScratchGroup.filled()
        try FileManager.default.removeItem(atPath: group.folder + "/journal")
        let before = try group.root.fingerprint()
        for outcome in [try group.attempt("list"), try group.attempt("import", ScratchGroup.sample)] {
            #expect(outcome.exitCode != ExitCode.success)
            #expect(!outcome.messages.isEmpty)
        }
        #expect(try group.root.fingerprint() == before)
    }

    @Test("without its key file a group is locked, never empty")
    func refusesWithoutKey() throws {
        let group = try ScratchGroup.filled()
        try shell("rm -r \"$1/.keys\"", group.root.path)
        let before = try group.root.fingerprint()
        for outcome in [try group.attempt("list"), try group.attempt("import", ScratchGroup.sample)] {
            #expect(outcome.exitCode == ExitCode.locked, "\(outcome.messages)")
        }
        #expect(try group.root.fingerprint() == before)
    }

    @Test("a wrong key file is refused")
    func refusesAWrongKeyFile() throws {
        let group = try ScratchGroup.filled()
        let key = group.root.path + "/wrong-key"
        try shell("head -c 32 /dev/urandom > \"$1\"; chmod 0600 \"$1\"", key)
        let outcome = try group.attempt("list", "--key-file", key)
        #expect(outcome.exitCode == ExitCode.locked, "\(outcome.messages)")
    }
}
