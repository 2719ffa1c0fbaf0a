// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import Testing

extension ProgramTests {
    /// Groups that are not readable any more, below the standard root. Whatever is asked names the same
    /// way out, and that works.
    @Suite("Ways out")
    struct WaysOutTests {
        enum Trouble: CaseIterable, Sendable {
            case absent, empty, cut, foreign, headless

            /// What is said of it.
            var problem: String {
                switch self {
                case .absent: "the journal of the group is gone"
                case .empty: "the journal of the group is empty"
                case .cut: "the journal of the group ends within its header"
                case .foreign: "the file that should be the journal of the group is not a journal"
                case .headless: "neither the header of the journal nor its copy verifies"
                }
            }
        }

        private static let group = "contoso"
        private static let repair = "cachetool repair --group \(group)"
        private static let wayOut = "Nothing was overwritten; restore a backup, or run \(repair)."

        private let home: ScratchRoot

        private var data: String { home.path + "/data/swift-token-cache" }
        private var journal: URL { URL(filePath: data + "/\(Self.group)/journal") }

        /// Two groups with the sample.
        init() throws {
            home = try ScratchRoot()
            for group in [Self.group, "other"] { try expectImport(group) }
        }

        private func run(_ command: [String], group: String = Self.group, input: Data? = nil) throws -> FinishedProgram
        {
            try Program.cachetool.run(
                command + ["--group", group, "--no-prompt"],
                input: input,
                environment: [
                    "PATH": "/usr/bin:/bin", "HOME": home.path, "XDG_DATA_HOME": home.path + "/data",
                    "XDG_STATE_HOME": home.path + "/state",
                ]
            )
        }

        /// What is in all files but the lock and the page, which tell who was there.
        private var files: [String] {
            get throws {
                try home.fingerprint().split(separator: "\n").map(String.init)
                    .filter { line in !["/lock", "/revision", "/leases"].contains { line.hasSuffix($0) } }
            }
        }

        private func expectImport(_ group: String) throws {
            let done = try run(["import", "-"], group: group, input: SampleCache().document)
            #expect(done.exitCode == 0, "\(done.messages)")
        }

        private func make(_ trouble: Trouble) throws {
            var bytes = try Data(contentsOf: journal)
            switch trouble {
            case .absent: return try FileManager.default.removeItem(at: journal)
            case .empty: bytes = Data()
            case .cut: bytes = bytes.prefix(2_000)
            case .foreign: bytes = Data(repeating: UInt8(ascii: "x"), count: 8_192)
            case .headless:
                let frames = bytes[88..<96].reversed().reduce(0) { $0 << 8 | Int($1) }
                for page in [0, frames - 4_096] { bytes[page + 200] ^= 1 }
            }
            let file = try FileHandle(forWritingTo: journal)
            try file.truncate(atOffset: 0)
            try file.write(contentsOf: bytes)
            try file.close()
        }

        private static let commands = [
            ["accounts"], ["list"], ["stats"], ["verify"], ["export", "-", "--all"], ["slots", "list"], ["compact"],
            ["clear", "--all", "--yes"], ["rekey", "--yes"],
            ["sign-out", SampleCache.adeleID, "--client", SampleCache.client, "--yes"],
            ["lookup", "--account", SampleCache.adeleID, "--client", SampleCache.client, "--scopes", "Mail.Read"],
        ]

        @Test(
            "everything that is asked of a group whose journal is lost names the same way out",
            arguments: Trouble.allCases
        )
        func named(trouble: Trouble) throws {
            try make(trouble)
            let before = try files
            var answers = try Self.commands.map { ($0.joined(separator: " "), try run($0)) }
            answers.append(("import", try run(["import", "-"], input: SampleCache().document)))
            for (command, done) in answers {
                #expect(done.exitCode == 7, "\(command): \(done.messages)")
                #expect(done.messages.contains(Self.wayOut), "\(command): \(done.messages)")
            }
            let doctor = try run(["doctor"])
            #expect(doctor.exitCode == 1 && doctor.text.contains(Self.wayOut), "\(doctor.text)")
            let plan = try run(["repair", "--dry-run", "--json"])
            #expect(plan.exitCode == 7, "\(plan.messages)")
            #expect(try plan.json["begins_anew"] as? Bool == true)
            #expect("\(try plan.json)".contains(trouble.problem), "\(plan.text)")
            // Without a key nothing is known of a header.
            if trouble != .headless {
                for (command, done) in answers { #expect(done.messages.contains(trouble.problem), "\(command)") }
                let groups = try run(["groups"])
                #expect(groups.messages.contains(trouble.problem) && groups.messages.contains(Self.wayOut))
            }
            #expect(try files == before)
        }

        @Test("the way out works, word for word", arguments: Trouble.allCases)
        func followed(trouble: Trouble) throws {
            try make(trouble)
            let lost = try? Data(contentsOf: journal)
            let done = try run(["repair", "--yes"])
            #expect(done.exitCode == 9, "\(done.messages)")
            if let lost {
                let folder = data + "/\(Self.group)/quarantine"
                let names = try FileManager.default.contentsOfDirectory(atPath: folder)
                #expect(names.contains { FileManager.default.contents(atPath: folder + "/" + $0) == lost })
            }
            #expect(try run(["accounts"]).exitCode == 3)
            try expectImport(Self.group)
            #expect(try run(["accounts"]).text.contains(SampleCache.adele))
            #expect(try run(["repair"]).exitCode == 0)
            let doctor = try run(["doctor"])
            #expect(doctor.exitCode == 0, "\(doctor.text)")
            #expect(try run(["accounts"], group: "other").exitCode == 0)
        }

        @Test("a backup that is put back is the other way out", arguments: Trouble.allCases)
        func restored(trouble: Trouble) throws {
            let backup = try Data(contentsOf: journal)
            try make(trouble)
            try? FileManager.default.removeItem(at: journal)
            try backup.write(to: journal)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: journal.path())
            #expect(try run(["accounts"]).text.contains(SampleCache.adele))
        }

        @Test(
            "files of another group are refused, and become a group of their own once they are adopted",
            arguments: [["journal"], ["store"], ["journal", "store"]]
        )
        func adopted(names: [String]) throws {
            for name in names {
                let bytes = try Data(contentsOf: URL(filePath: data + "/other/" + name))
                try bytes.write(to: URL(filePath: data + "/\(Self.group)/" + name))
            }
            // A journal that is the folder's says what the state file should.
            let wayOut = Self.repair + (names == ["store"] ? " to use the journal" : " --adopt")
            for command in [["accounts"], ["verify"], ["compact"]] + (names == ["store"] ? [] : [["repair", "--yes"]]) {
                let done = try run(command)
                #expect(done.exitCode == 7, "\(done.messages)")
                #expect(done.messages.contains(wayOut), "\(done.messages)")
            }
            let doctor = try run(["doctor"])
            #expect(doctor.exitCode == 1 && doctor.text.contains(wayOut), "\(doctor.text)")
            let done = try run(["repair", "--yes"] + (names == ["store"] ? [] : ["--adopt"]))
            #expect(done.exitCode == 0, "\(done.messages)")
            #expect(try run(["accounts"]).text.contains(SampleCache.adele))
            #expect(try run(["doctor"]).exitCode == 0)
        }
    }
}
