// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import SeededRandom
import Testing

extension ProgramTests {
    /// `cachetool groups remove` below the user's own root.
    @Suite("Removing a group", .serialized)
    struct GroupRemovalTests {
        static let bus = "DBUS_SESSION_BUS_ADDRESS"
        static let group = "work"

        let home: ScratchRoot

        /// Two groups with the sample.
        init() throws {
            home = try ScratchRoot()
            for group in [Self.group, "other"] { try expectImport(group) }
        }

        var data: String { home.path + "/data/swift-token-cache" }
        var state: String { home.path + "/state/swift-token-cache" }
        var folder: String { data + "/" + Self.group }

        var environment: [String: String] {
            [
                "PATH": "/usr/bin:/bin", "HOME": home.path, "XDG_DATA_HOME": home.path + "/data",
                "XDG_STATE_HOME": home.path + "/state",
            ]
        }

        func run(
            _ command: [String],
            input: Data? = nil,
            _ more: [String: String] = [:]
        ) throws -> FinishedProgram {
            try Program.cachetool.run(command, input: input, environment: environment.merging(more) { $1 })
        }

        func remove(_ options: String..., more: [String: String] = [:]) throws -> FinishedProgram {
            try run(["groups", "remove", Self.group] + options, more)
        }

        func expectImport(
            _ group: String,
            _ options: [String] = [],
            more: [String: String] = [:]
        ) throws {
            let done = try run(["import", "-", "--group", group] + options, input: SampleCache().document, more)
            #expect(done.exitCode == 0, "\(done.messages)")
        }

        /// Everything that there is, but for what the other group has.
        func names(in folder: String) -> [String] {
            let all = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
            return all.filter { !$0.hasPrefix("other") }.sorted()
        }

        /// Nothing of the group is left, or only its key file, and the other one is as it was.
        func expectGone(butKeyFile keepsKeyFile: Bool = false) throws {
            #expect(names(in: data) == [])
            #expect(names(in: state + "/keys").count == (keepsKeyFile ? 2 : 1))
            let other = try run(["accounts", "--group", "other"])
            #expect(other.exitCode == 0, "\(other.messages)")
        }

        private func keyFile() throws -> String {
            let report = try #require(try remove("--dry-run", "--json").json["removed"] as? [[String: Any]])
            return try #require(report.first { $0["kind"] as? String == "key_file" }?["path"] as? String)
        }

        @Test("removing a group takes its folder and its key file, and leaves other groups alone")
        func whole() throws {
            let done = try remove("--yes", "--json")
            #expect(done.exitCode == 0, "\(done.messages)")
            let removed = try #require(try done.json["removed"] as? [[String: Any]])
            #expect(removed.compactMap { $0["kind"] as? String } == ["key_file", "folder"])
            #expect((try done.json["kept"] as? [Any])?.isEmpty == true)
            try expectGone()
            let again = try remove("--yes")
            #expect(again.exitCode == 3)
            #expect(again.messages.contains("There is no group work"))
            // The name is free again.
            try expectImport(Self.group)
            #expect(try run(["doctor", "--group", Self.group]).exitCode == 0)
        }

        @Test("what is no group is not removed, and the message says what can be done about it")
        func noGroup() throws {
            let missing = try run(["groups", "remove", "nope", "--yes"])
            #expect(missing.exitCode == 3)
            #expect(
                missing.messages.contains("so nothing was removed. The existing groups are: other, \(Self.group)."),
                "\(missing.messages)"
            )
            let folder = data + "/empty"
            try FileManager.default.createDirectory(
                atPath: folder,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
            let empty = try run(["groups", "remove", "empty", "--yes"])
            #expect(empty.exitCode == 3)
            #expect(empty.messages.contains("is a folder without a group. If it is yours, remove it with rm -r "))
        }

        @Test("a dry run lists the same files and items as the removal, and changes nothing")
        func plan() throws {
            let before = try home.fingerprint()
            let plan = try remove("--dry-run", "--json")
            #expect(plan.exitCode == 0)
            #expect(try home.fingerprint() == before)
            let done = try remove("--yes", "--json")
            #expect(try Self.parts(plan).sorted() == Self.parts(done).sorted())
        }

        private static func parts(_ report: FinishedProgram) throws -> [String] {
            let removed = try #require(try report.json["removed"] as? [[String: Any]])
            return removed.map { "\($0["kind"] ?? "") \($0["path"] ?? "")" }
        }

        @Test("no group is removed without a yes")
        func asks() throws {
            let before = try home.fingerprint()
            let refused = try remove()
            #expect(refused.exitCode == 2)
            #expect(refused.messages.contains("would be removed  folder \(folder)"), "\(refused.messages)")
            #expect(refused.messages.contains("Remove group work for good?"))
            #expect(try home.fingerprint() == before)
            var tool = try Tool()
            tool.group = Self.group
            #expect(try tool.run("import", "-", input: SampleCache().document).exitCode == 0)
            for (answer, isThere) in [("n\n", true), ("y\n", false)] {
                let done = try tool.terminal(["groups", "remove"], answers: [("good?", answer)])
                #expect(done.exitCode == (isThere ? 1 : 0), "\(done.text)")
                #expect(FileManager.default.fileExists(atPath: tool.root.path + "/work") == isThere)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: tool.root.path + "/.keys").isEmpty)
        }

        @Test("a group has to be named, once")
        func named() throws {
            for words in [["groups", "remove", "--yes"], ["groups", "remove", "work", "--group", "other", "--yes"]] {
                #expect(try run(words).exitCode == 2)
            }
            #expect(names(in: data).count == 6)
        }

        enum Trouble: String, CaseIterable, Sendable {
            case absent, empty, cut, random, link, socket, key, state, otherState, lock, mode
        }

        @Test(
            "the folder of a group that cannot be opened goes, and its key file is named",
            arguments: Trouble.allCases
        )
        func unusable(trouble: Trouble) throws {
            let journal = folder + "/journal"
            let target = home.path + "/target"
            try Data("precious".utf8).write(to: URL(filePath: target))
            let key = try keyFile()
            switch trouble {
            case .absent: try FileManager.default.removeItem(atPath: journal)
            case .empty: try shell(": > '\(journal)'")
            case .cut: try shell("truncate --size=2000 '\(journal)'")
            case .random: try shell("head -c 9000 /dev/urandom > '\(journal)'")
            case .link: try shell("rm '\(journal)'; ln -s '\(target)' '\(journal)'")
            case .socket: try shell("rm '\(journal)'; mkfifo '\(journal)'")
            case .key: try FileManager.default.removeItem(atPath: key)
            case .state: try shell("head -c 100 /dev/urandom > '\(folder)/store'")
            case .otherState: try shell("rm '\(folder)/store' '\(folder)/revision' '\(folder)/leases'")
            case .lock: try shell("rm '\(folder)/lock'; ln -s '\(target)' '\(folder)/lock'")
            case .mode: try shell("chmod 644 '\(journal)' '\(folder)/store'")
            }
            let done = try remove("--yes")
            // With these the group opens, or nothing shows which key file it has, or whether the folder is a copy.
            let isComplete = [.key, .state, .otherState, .lock, .mode].contains(trouble)
            #expect(done.exitCode == (isComplete ? 0 : 9), "\(done.text) \(done.messages)")
            let isKept = !isComplete || [.state, .otherState, .mode].contains(trouble)
            if isKept { #expect(done.text.contains("stays    key file \(key)"), "\(done.text)") }
            try expectGone(butKeyFile: isKept)
            if trouble == .key { return }
            #expect(try String(contentsOfFile: target, encoding: .utf8) == "precious")
        }

        @Test(
            "a group of which a file may not be read stays, because it may be sound",
            arguments: ["store", "journal"]
        )
        func unreadable(file: String) throws {
            try shell("chmod 000 '\(folder)/\(file)'")
            // Without its capabilities, the superuser may not read everything either.
            let withoutCapabilities = geteuid() == 0 ? ["--bounding-set=-all"] : []
            let done = try Program(path: "/usr/bin/setpriv")
                .run(
                    withoutCapabilities + [Program.cachetool.path, "groups", "remove", Self.group, "--yes"],
                    environment: environment
                )
            #expect(done.exitCode == 8, "\(done.text) \(done.messages)")
            #expect(done.messages.contains("/\(Self.group)/\(file)"), "\(done.messages)")
            try shell("chmod 600 '\(folder)/\(file)'")
            #expect(try run(["accounts", "--group", Self.group]).exitCode == 0)
        }

        func shell(_ script: String) throws {
            let done = try Program(path: "/bin/sh").run(["-c", script])
            try #require(done.exitCode == 0, "\(done.messages)")
        }

        @Test("a group whose folder is gone is not found, and nothing is removed")
        func folderGone() throws {
            try FileManager.default.removeItem(atPath: folder)
            #expect(try remove("--yes").exitCode == 3)
        }

        @Test(
            "no key file goes because of what an unauthenticated file says",
            arguments: [["journal"], ["store"], ["journal", "store"]]
        )
        func forged(files: [String]) throws {
            for file in files { try shell("cat '\(data)/other/\(file)' > '\(folder)/\(file)'") }
            let done = try remove("--yes", "--json")
            #expect(done.exitCode == 0, "\(done.text)")
            let kept = try #require(try done.json["kept"] as? [[String: Any]])
            #expect(kept.contains { $0["kind"] as? String == "key_file" })
            #expect(names(in: state + "/keys").count == 2)
            #expect(try run(["accounts", "--group", "other"]).exitCode == 0)
        }

        @Test(
            "below another root only the group's key proves that a key file belongs to it: without it the file stays and is named"
        )
        func otherRoot() throws {
            for isDamaged in [false, true] {
                let tool = try Tool.withSample()
                if isDamaged { try shell("head -c 9000 /dev/urandom > '\(tool.root.path)/test/journal'") }
                let done = try tool.run("groups", "remove", "--yes", "--json")
                #expect(done.exitCode == (isDamaged ? 9 : 0), "\(done.text)")
                let keys = try FileManager.default.contentsOfDirectory(atPath: tool.root.path + "/.keys")
                #expect(keys.count == (isDamaged ? 1 : 0))
                if isDamaged { #expect(done.text.contains(keys[0])) }
                #expect(try FileManager.default.contentsOfDirectory(atPath: tool.root.path) == [".keys"])
            }
        }

        @Test(
            "below another root, no other group's key file goes because of what an unauthenticated file says",
            arguments: [["journal"], ["store"], ["journal", "store"]]
        )
        func forgedBelowOtherRoot(files: [String]) throws {
            let root = home.path + "/root"
            for group in [Self.group, "other"] { try expectImport(group, ["--root", root]) }
            for file in files { try shell("cat '\(root)/other/\(file)' > '\(root)/\(Self.group)/\(file)'") }
            let done = try remove("--yes", "--json", "--root", root)
            let kept = try #require(try done.json["kept"] as? [[String: Any]])
            #expect(kept.contains { $0["kind"] as? String == "key_file" }, "\(done.text)")
            #expect(try run(["accounts", "--group", "other", "--root", root]).exitCode == 0)
        }

        @Test("a copy of the folder goes alone, and the original still opens")
        func copy() throws {
            try shell("cp -a '\(data)/other' '\(data)/copy'")
            let done = try run(["groups", "remove", "copy", "--yes"])
            #expect(done.exitCode == 0, "\(done.messages)")
            #expect(done.text.contains("the original may need it"), "\(done.text)")
            #expect(try run(["accounts", "--group", "other"]).exitCode == 0)
            #expect(!FileManager.default.fileExists(atPath: data + "/copy"))
        }

        @Test(
            "whatever is done to a copy below another data folder, and to its state file, the original opens",
            arguments: [
                "rm store", "echo x >store", "sed -i /^folder/d store", "sed -i 's/^folder .*/folder 1.1/' store",
                "true",
            ],
            [
                ["groups", "remove", group, "--yes"], ["rekey", "--yes", "--group", group],
                ["clear", "--all", "--yes", "--group", group],
            ]
        )
        func forgedCopy(change: String, command: [String]) throws {
            let copies = home.path + "/copies"
            let copy = copies + "/swift-token-cache/" + Self.group
            try shell(
                "mkdir -p -m 700 '\(copies)/swift-token-cache'; cp -a '\(folder)' '\(copy)'; cd '\(copy)'; \(change)"
            )
            let elsewhere = ["XDG_DATA_HOME": copies]
            _ = try run(["repair", "--yes", "--group", Self.group], elsewhere)
            _ = try run(["compact", "--group", Self.group], elsewhere)
            _ = try run(command, elsewhere)
            let original = try run(["verify", "--group", Self.group])
            #expect(original.exitCode == 0, "\(original.messages)")
        }

        /// Fresh file systems give their first folders the same numbers.
        @Test(
            "a copy in another file system goes alone, though its folder has the number of the original's",
            .enabled(if: Root.isHere, "needs root to mount")
        )
        func copyWithTheSameNumber() throws {
            let done = try Program(path: "/usr/bin/unshare").run(
                [
                    "--mount", "/bin/bash", "-euc",
                    """
                    one=$HOME/one two=$HOME/two
                    mkdir "$one" "$two"
                    mount -t tmpfs none "$one"; mount -t tmpfs none "$two"; chmod 700 "$one" "$two"
                    on() { XDG_DATA_HOME=$1 "$cachetool" "${@:2}"; }
                    on "$one" import "$sample" --group copied >/dev/null 2>&1
                    cp -a "$one/." "$two"
                    [[ $(stat -c %i "$one"/*/copied) == $(stat -c %i "$two"/*/copied) ]]
                    on "$two" rekey --yes --group copied >/dev/null 2>&1
                    on "$two" groups remove copied --yes >/dev/null 2>&1
                    on "$one" accounts --group copied >/dev/null
                    echo opens
                    """,
                ],
                environment: environment.merging(["cachetool": Program.cachetool.path, "sample": ScratchGroup.sample]) {
                    $1
                }
            )
            #expect(done.text == "opens", "\(done.messages)")
        }

        @Test("files that do not belong to the group stay in its folder, and are named")
        func otherFiles() throws {
            try shell("echo x > '\(folder)/notes.txt'")
            let done = try remove("--yes")
            #expect(done.exitCode == 9)
            #expect(done.text.contains("notes.txt in it does not belong to the group"), "\(done.text)")
            #expect(try run(["accounts", "--group", Self.group]).exitCode == 3)
            #expect(names(in: data) == [Self.group, Self.group + "/notes.txt"])
            try shell("rm -r '\(folder)'")
            try expectGone()
        }

        @Test("a folder that is no group's is left alone", arguments: ["file", "folder", "link"])
        func otherFolder(content: String) throws {
            let path = data + "/Documents"
            switch content {
            case "file": try shell("mkdir -m 700 '\(path)'; echo x > '\(path)/journal'")
            case "folder": try shell("mkdir -m 700 '\(path)' '\(path)/quarantine'; echo x > '\(path)/quarantine/x'")
            default: try shell("ln -s other '\(path)'")
            }
            let before = try home.fingerprint()
            let done = try run(["groups", "remove", "Documents", "--yes"])
            #expect(done.exitCode == (content == "link" ? 8 : 3), "\(done.messages)")
            #expect(try home.fingerprint() == before)
        }

        @Test("while another process writes, nothing is removed")
        func busy() throws {
            let holder = try Program(path: "/usr/bin/python3").start([
                "-c",
                """
                import fcntl, struct, sys
                file = open(sys.argv[1], "r+b")
                # An open file description lock (F_OFD_SETLK) on the first byte: the writer's.
                fcntl.fcntl(file, 37, struct.pack("hhqqi", fcntl.F_WRLCK, 0, 0, 1, 0))
                print("held", flush=True)
                sys.stdin.read()
                """,
                folder + "/lock",
            ])
            #expect(holder.waitForLines(1) == ["held"])
            let before = names(in: home.path)
            #expect(try remove("--yes", "--timeout", "0.3").exitCode == 6)
            #expect(names(in: home.path) == before)
            try holder.finish()
            #expect(try remove("--yes").exitCode == 0)
            try expectGone()
        }

        @Test("a process that has a removed group open learns of it, and writes nothing")
        func openElsewhere() throws {
            let import_ = try Program.cachetool.start(
                ["import", "-", "--group", Self.group],
                environment: environment
            )
            // It has opened the group and waits for its input.
            let document = try SampleCache(now: 4_000_000_000).document
            import_.write(document.prefix(100))
            let end = ContinuousClock.now + .seconds(60)
            while !(try openFiles(of: import_)).contains(folder), ContinuousClock.now < end { usleep(2_000) }
            #expect(try remove("--yes").exitCode == 0)
            import_.write(document.dropFirst(100))
            let done = try import_.finish()
            #expect(done.exitCode == 5, "\(done.messages)")
            try expectGone()
        }

        private func openFiles(of program: RunningProgram) throws -> String {
            try Program(path: "/bin/ls").run(["-l", "/proc/\(program.processID)/fd"]).text
        }

        @Test("a removal that is killed at any system call is completed by the next one")
        func killed() throws {
            func killed(at call: Int) throws -> FinishedProgram {
                let command = [Program.cachetool.path, "groups", "remove", Self.group, "--yes"]
                return try Program.killAtCall.run(["\(call)"] + command, environment: environment)
            }
            let whole = try killed(at: 0)
            #expect(whole.exitCode == 0, "\(whole.messages)")
            let words = whole.messages.split(whereSeparator: \.isWhitespace)
            let count = try #require(words.firstIndex(of: "kill-at-call:").flatMap { Int(words[$0 + 1]) })
            // What lies outside the folder goes last, and each of those calls counts.
            var random = SeededGenerator(for: "kills of removals")
            let last = 40
            let calls =
                Array((max(1, count - last)...count).reversed()) + (1..<max(1, count - last)).shuffled(using: &random)
            var rounds = Rounds(
                "kills of a removal, of \(count) calls",
                within: .seconds(6),
                atLeast: last,
                release: count
            )
            while let round = rounds.next(), round < calls.count {
                try expectImport(Self.group)
                _ = try killed(at: calls[round])
                let done = try remove("--yes")
                #expect(done.exitCode == 0 || done.exitCode == 3, "call \(calls[round]): \(done.text) \(done.messages)")
                try expectGone()
            }
        }

        // MARK: - Creations that fail

        @Test(
            "a failed creation leaves the key file of a group whose folder or files were moved away",
            arguments: [
                ["repair", "--adopt", "--yes"], ["import", "-", "--key-file", "/missing/key"],
                ["import", "-", "--storage", "keyring"],
            ]
        )
        func failedCreation(command: [String]) throws {
            for isFolderAway in [true, false] {
                let away = home.path + "/away"
                if isFolderAway {
                    try shell("mv '\(folder)' '\(away)'")
                } else {
                    try shell("cp -a '\(folder)' '\(away)'; rm '\(folder)/journal' '\(folder)/store'")
                }
                let before = names(in: state)
                let done = try run(command + ["--group", Self.group], input: SampleCache().document)
                #expect(done.exitCode != 0)
                #expect(names(in: state) == before)
                try shell("rm -rf '\(folder)'; mv '\(away)' '\(folder)'")
                #expect(try run(["accounts", "--group", Self.group]).exitCode == 0)
            }
        }
    }
}
