// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import SeededRandom
import Testing

/// What one process saves the others find, whatever happens to the page that tells them.
@Suite("freshness", .serialized, .timeLimit(.minutes(Scale.pick(10, release: 240))))
struct FreshnessTests {
    /// What may happen to the page while processes have it mapped, or between two openings.
    enum Mishap: String, CaseIterable {
        case nothing, removed, overwritten, replacedByRandomBytes, replacedByEmptyFile, replacedByForeignPage
        case replacedByLink, hardLinked

        /// Whether it is refused to open a group with such a page.
        var isUnsafe: Bool { self == .replacedByLink || self == .hardLinked }

        func happen(to page: String, foreign: String) throws {
            let files = FileManager.default
            var generator = SeededGenerator(for: "page of random bytes")
            let random = Data((0..<4096).map { _ in UInt8.random(in: 0...255, using: &generator) })
            if ![.nothing, .overwritten, .hardLinked].contains(self) { try files.removeItem(atPath: page) }
            switch self {
            case .nothing, .removed:
                break
            case .overwritten:
                let file = try FileHandle(forWritingTo: URL(filePath: page))
                try file.write(contentsOf: random)
                try file.close()
            case .replacedByRandomBytes, .replacedByEmptyFile:
                let bytes = self == .replacedByEmptyFile ? Data() : random
                _ = files.createFile(atPath: page, contents: bytes, attributes: [.posixPermissions: 0o600])
            case .replacedByForeignPage:
                try files.copyItem(atPath: foreign, toPath: page)
            case .replacedByLink:
                try files.createSymbolicLink(atPath: page, withDestinationPath: foreign)
            case .hardLinked:
                try files.linkItem(atPath: page, toPath: page + ".other")
            }
        }
    }

    /// A process that saves, one that looks up and one that is told of changes, all open from the beginning.
    private final class Scene {
        let workers: Workers
        let saver: RunningProgram
        let reader: RunningProgram
        let watcher: RunningProgram
        private var asked = 1

        init(_ storage: TestStorage = .file) throws {
            workers = try Workers(in: storage.makeKeyring())
            _ = try workers.run("save")
            saver = try workers.start("answer")
            reader = try workers.start("answer")
            watcher = try workers.group.watch()
            try save(1)
            #expect(find() == "found 1")
            #expect(isTold(after: 0))
        }

        var page: String { workers.group.folder + "/revision" }
        var toldCount: Int { watcher.linesSoFar.count }

        func save(_ number: Int) throws {
            let lines = saver.linesSoFar.count
            saver.writeLine("save 0 \(number)")
            guard saver.waitForLines(lines + 1).last == "saved 0 \(number)" else {
                throw Unfit(reason: "not saved: \(saver.messagesSoFar)")
            }
        }

        func find() -> String? {
            asked += 1
            reader.writeLine("find 0")
            return reader.waitForLines(asked).last
        }

        /// How long it takes until the reader finds a save; nil where it never does.
        func timeUntilFound(_ number: Int) -> Duration? {
            let start = ContinuousClock.now
            while ContinuousClock.now - start < .seconds(20) {
                if find() == "found \(number)" { return ContinuousClock.now - start }
                usleep(5_000)
            }
            return nil
        }

        /// What asking once costs here and now.
        var control: Duration { ContinuousClock().measure { _ = find() } }

        func isTold(after count: Int) -> Bool {
            let end = ContinuousClock.now + .seconds(20)
            while toldCount <= count, ContinuousClock.now < end { usleep(1_000) }
            return toldCount > count
        }

        func end() throws {
            watcher.interrupt()
            for program in [saver, reader, watcher] { try program.finish() }
        }
    }

    @Test(
        "whatever happens to the page, a save is found and announced",
        arguments: Mishap.allCases,
        TestStorage.allCases
    )
    func mishap(_ mishap: Mishap, _ storage: TestStorage) throws {
        let scene = try Scene(storage)
        let foreign = try Workers()
        _ = try foreign.run("save")
        try mishap.happen(to: scene.page, foreign: foreign.group.folder + "/revision")
        for number in 2...4 {
            let told = scene.toldCount
            try scene.save(number)
            let time = try #require(scene.timeUntilFound(number), "never found")
            // The second that is promised, and what asking takes on a busy machine.
            let control = scene.control
            #expect(
                time < .seconds(mishap == .nothing ? 1 : 2) + control * 20,
                "\(time), where asking takes \(control)"
            )
            #expect(scene.isTold(after: told))
        }
        let late = try scene.workers.launch(scene.workers.arguments("list")).finish()
        if mishap.isUnsafe {
            #expect(late.exitCode == 1 && late.messages.contains("unsafe"), "\(late.messages)")
        } else {
            #expect(late.lines.last == "0 4 4")
            // Whoever opened the group anew has mended the page: from now on a save is found at once.
            #expect(scene.timeUntilFound(4) != nil)
            usleep(300_000)
            _ = scene.find()
            try scene.save(5)
            #expect(scene.find() == "found 5")
        }
        try scene.end()
    }

    @Test("a page that was truncated while no process had it open is created again", arguments: [0, 1, 100, 4_095])
    func truncated(length: UInt64) throws {
        let workers = try Workers()
        _ = try workers.run("save")
        let file = try FileHandle(forWritingTo: URL(filePath: workers.group.folder + "/revision"))
        try file.truncate(atOffset: length)
        try file.close()
        let saver = try workers.start("answer")
        let reader = try workers.start("answer")
        for number in 1...5 {
            saver.writeLine("save 0 \(number)")
            #expect(saver.waitForLines(number + 1).last == "saved 0 \(number)")
            reader.writeLine("find 0")
            #expect(reader.waitForLines(number + 1).last == "found \(number)")
        }
        for program in [saver, reader] { try program.finish() }
    }

    @Test(
        "a save whose writer was killed before it announced it is found and announced anyway",
        arguments: TestStorage.allCases
    )
    func untold(_ storage: TestStorage) throws {
        let scene = try Scene(storage)
        for number in 2...6 {
            let told = scene.toldCount
            // The writer tells it on a page of its own, which is gone before anybody looks: as if it had told nobody.
            let page = scene.page
            try FileManager.default.moveItem(atPath: page, toPath: page + ".kept")
            let writer = try scene.workers.start("save", ["from": number])
            #expect(writer.waitForLines(2).last == "saved 0 \(number)")
            writer.kill()
            try writer.finish()
            try FileManager.default.removeItem(atPath: page)
            try FileManager.default.moveItem(atPath: page + ".kept", toPath: page)
            let time = try #require(scene.timeUntilFound(number), "never found")
            #expect(time < .seconds(2), "\(time)")
            #expect(scene.isTold(after: told))
        }
        try scene.end()
    }

    @Test(
        "a save after a compaction or a rekey is found at the next lookup",
        arguments: [("compact", TestStorage.file), ("rekey", .file), ("rekey", .keyring)]
    )
    func reorganised(command: String, _ storage: TestStorage) throws {
        let scene = try Scene(storage)
        for number in 2...6 {
            let done =
                command == "rekey"
                ? try scene.workers.group.attempt("rekey", "--yes") : try scene.workers.group.attempt("compact")
            #expect(done.exitCode == 0, "\(done.messages)")
            #expect(scene.find() == "found \(number - 1)")
            let told = scene.toldCount
            try scene.save(number)
            #expect(scene.find() == "found \(number)")
            #expect(scene.isTold(after: told))
        }
        try scene.end()
    }

    @Test("a child that opens the group itself saves and finds, also while threads of its parent save")
    func reopened() throws {
        let scene = try Scene()
        scene.reader.writeLine("reopen 0 7")
        let lines = scene.reader.waitForLines(13)
        #expect(Array(lines.dropFirst(2)) == Array(repeating: "child found 7", count: 10) + ["reopened"])
        try scene.end()
    }

    @Test("a child that a reader forks is refused, and the reader continues")
    func forked() throws {
        let scene = try Scene()
        scene.reader.writeLine("fork 0")
        #expect(scene.reader.waitForLines(3).last == "child forkedProcess")
        try scene.save(2)
        scene.reader.writeLine("find 0")
        #expect(scene.reader.waitForLines(4).last == "found 2")
        try scene.end()
    }
}

extension ScratchGroup {
    /// Follows the changes of the group, and waits until it does.
    func watch() throws -> RunningProgram {
        let program = try Program.cachetool.start(["watch", "--json"] + options, environment: environment)
        let end = ContinuousClock.now + .seconds(20)
        while !program.messagesSoFar.contains("Watching"), ContinuousClock.now < end { usleep(1_000) }
        return program
    }
}
