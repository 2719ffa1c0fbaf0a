// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import SeededRandom
import Testing

/// What changes a group is killed at every system call that changes files or locks: each state that a kill can leave on the
/// disk is met once.
@Suite("kills at system calls", .serialized, .timeLimit(.minutes(30)))
struct SystemCallKillTests {
    private static let accounts = 4

    /// What is killed.
    enum Change: String, CaseIterable, CustomTestStringConvertible {
        case creation, save, importing, signOut, compaction, newKeys

        var testDescription: String { rawValue }
    }

    /// A group as it was before, put back for each kill.
    private struct Scene {
        let workers = try? Workers()
        let group: ScratchGroup
        let change: Change
        private let backup: ScratchRoot
        private let document: String

        init(_ change: Change) throws {
            self.change = change
            group = try #require(workers).group
            backup = try ScratchRoot()
            document = backup.path + "/document.json"
            try Data(contentsOf: URL(filePath: ScratchGroup.sample)).write(to: URL(filePath: document))
            if change != .creation {
                let workers = try #require(workers)
                _ = try workers.run("save", ["count": accounts, "accounts": accounts])
            }
            if [.compaction, .newKeys].contains(change) {
                // Something to leave out, and a snapshot as well as frames.
                _ = try #require(workers).run("save", ["count": accounts, "accounts": accounts])
                try #require(group.attempt("import", document).exitCode == 0)
            }
            try copy(group.root.path, to: backup.path + "/root")
        }

        func restore() throws { try copy(backup.path + "/root", to: group.root.path) }

        /// Keeps folders that are there: in another folder the group would be a copy.
        private func copy(_ source: String, to target: String) throws {
            let script = #"""
                mkdir -p "$2" && find "$2" ! -type d -delete && cp -a "$1/." "$2" && find "$2" -mindepth 1 -type d -empty -delete
                """#
            let done = try Program(path: "/bin/sh").run(["-c", script, "sh", source, target])
            guard done.exitCode == 0 else { throw Unfit(reason: done.messages) }
        }

        /// The program that makes the change, and its arguments.
        var command: [String] {
            switch change {
            case .creation, .importing: [Program.cachetool.path, "import", document] + group.options
            case .save:
                [Program.groupWorker.path, "save", "--from", "100", "--accounts", "1", "--storage", "file"]
                    + group.options
            case .signOut:
                [Program.groupWorker.path, "sign-out", "--accounts", "1", "--storage", "file"] + group.options
            case .compaction: [Program.cachetool.path, "compact"] + group.options
            case .newKeys: [Program.cachetool.path, "rekey", "--yes"] + group.options
            }
        }

        /// Makes the change, and kills it at a call; 0: at none.
        func run(killedAt call: Int) throws -> FinishedProgram {
            try Program.killAtCall.run(["\(call)"] + command)
        }

        /// The entries in the group with their secrets, but for times; nil where there is no group.
        func export() throws -> Set<String>? {
            let exported = try group.attempt("export", "--all", "--yes", "-")
            if change == .creation, exported.exitCode == 3 { return nil }
            guard exported.exitCode == 0 else { throw Unfit(reason: "not exported: \(exported.messages)") }
            var entries: Set<String> = []
            for case (let section, let content as [String: [String: Any]]) in try exported.json {
                for (key, entry) in content { entries.insert("\(section) \(key) \(entry["secret"] ?? "")") }
            }
            return entries
        }

        var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: group.folder)) ?? [] }

        var keyFiles: [String] {
            (try? FileManager.default.contentsOfDirectory(atPath: group.root.path + "/.keys")) ?? []
        }
    }

    @Test(
        "a change killed at any system call is present completely or not at all, and can be repeated",
        arguments: Change.allCases
    )
    func killed(_ change: Change) throws {
        let scene = try Scene(change)
        let before = try scene.export()
        /// A group is made first, and empty.
        let between: Set<String>? = change == .creation ? [] : before
        let whole = try scene.run(killedAt: 0)
        try #require(whole.exitCode == 0, "\(whole.messages)")
        let after = try scene.export()
        #expect(before != after || [.compaction, .newKeys].contains(change))
        let count = try #require(callCount(whole))
        var random = SeededGenerator(for: "kills at system calls of \(change)")
        let calls = (1...count).shuffled(using: &random)
        var rounds = Rounds("kills of \(change), of \(count) calls", within: .seconds(8), atLeast: 3, release: count)
        while let round = rounds.next(), round < count {
            let call = calls[round]
            try scene.restore()
            let killed = try scene.run(killedAt: call)
            // Threads may take their calls in another order, and need one less.
            let isDone = killed.exitCode == 0
            #expect(isDone || killed.exitCode == 137, "call \(call): \(killed.messages)")
            let met = try scene.export()
            #expect([before, between, after].contains(met), "call \(call): half of it is there")
            if isDone || killed.text.contains("saved") || killed.text.contains("signed out") {
                #expect(met == after, "call \(call): it was acknowledged")
            }
            // Whoever comes next is killed, too.
            let second = Int.random(in: 1...count, using: &random)
            _ = try scene.run(killedAt: second)
            let again = try scene.export()
            #expect([met, between, after].contains(again), "calls \(call) and \(second): half of it is there")
            let last = try scene.run(killedAt: 0)
            #expect(last.exitCode == 0, "calls \(call) and \(second): \(last.messages)")
            #expect(try scene.export() == after, "calls \(call) and \(second)")
            #expect(try scene.group.attempt("verify").exitCode == 0, "calls \(call) and \(second)")
            // Key files of killed changes may open a newer state of the group, and go once they cannot.
            if change == .newKeys {
                for _ in 0..<3 { #expect(try scene.group.attempt("rekey", "--yes").exitCode == 0) }
            }
            #expect(scene.keyFiles.count == 1, "calls \(call) and \(second): \(scene.keyFiles)")
            // Files of killed makers go with the next removal.
            #expect(try scene.group.attempt("clear", "--all", "--yes").exitCode == 0, "calls \(call) and \(second)")
            #expect(scene.names.filter { $0.hasPrefix("tmp.") }.isEmpty, "calls \(call) and \(second)")
        }
    }

    private func callCount(_ finished: FinishedProgram) -> Int? {
        finished.messages.split(separator: "\n").last { $0.hasPrefix("kill-at-call: ") }?
            .split(separator: " ").dropFirst().first.flatMap { Int($0) }
    }
}
