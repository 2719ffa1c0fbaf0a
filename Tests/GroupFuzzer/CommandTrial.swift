// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import SeededRandom

/// One case, given to every command of cachetool, each time as it was after the mutations.
struct CommandTrial {
    let trial: Trial

    private struct Command {
        let words: [String]
        /// Whether it may write.
        var isReading = false
        /// Whether it seals everything anew, or takes everything away.
        var replaces = false
        /// Who is signed out.
        var signsOut: BoxBytes.Accounts = []
        var input: Data?
    }

    private static let documentNumber = 30

    private static let account = 3

    private var commands: [Command] {
        let people = Templates.people
        let id = people.id(Self.account)
        let lookup = ["lookup", "--account", id, "--client", People.client, "--scopes", "s"]
        let readings = [
            ["groups"], ["accounts"], ["list"], ["inspect", "0"], lookup, ["stats"], ["verify"], ["doctor"],
            ["slots", "list"], ["repair", "--dry-run"], ["clear", "--all", "--dry-run"],
        ]
        let document = Data(people.document(Self.documentNumber..<Self.documentNumber + 1, version: 7))
        return readings.map { Command(words: $0, isReading: true) } + [
            Command(words: ["export", "-", "--all"], isReading: true),
            Command(words: ["import", "-"], input: document),
            Command(words: ["compact"]),
            Command(words: ["doctor", "--probe-write"]),
            Command(words: ["repair", "--yes", "--json"]),
            Command(words: ["migrate", "--to", "file"]),
            Command(words: ["migrate", "--to", "keyring"]),
            Command(words: ["slots", "add", "--new-key-file", trial.scene.folder + "/another-key"]),
            Command(words: ["slots", "remove", "0000", "--yes"], replaces: true),
            Command(
                words: ["sign-out", id, "--client", People.client, "--yes"],
                signsOut: BoxBytes.Accounts(Self.account)
            ),
            Command(words: ["rekey", "--yes"], replaces: true),
            Command(words: ["clear", "--all", "--yes"], replaces: true),
        ]
    }

    func run() throws(Finding) {
        trial.state.tree.restore(to: trial.scene.folder)
        trial.mutate()
        let isHuge = trial.scene.tree.nodes.values.contains { if case .huge = $0 { true } else { false } }
        for command in commands {
            if !isHuge || command.words != commands[0].words {
                trial.state.tree.restore(to: trial.scene.folder)
                trial.mutate()
            }
            let before = trial.scene.tree
            var boxes = trial.intactBoxes(without: command.signsOut)
            trial.note(command.words.joined(separator: " "))
            let done = try Self.run(command.words, command.input, trial.scene.environment)
            try judge(done, command)
            let what = "cachetool \(command.words.prefix(2).joined(separator: " "))"
            try trial.checkUntouched(by: what, since: before, journalToo: command.isReading)
            if command.replaces && [0, 9].contains(done.exitCode ?? -1) || trial.isForged { continue }
            if command.words.first == "repair" { boxes = Self.judged(boxes, by: done.output) }
            let missing = boxes.missing(from: trial.keptFiles)
            if missing > 0 {
                throw Finding(
                    kind: .destroyed,
                    sentence:
                        "after \(what) (exit \(done.exitCode ?? -1)) \(missing) of \(boxes.count) pieces of boxes "
                        + "are nowhere any more"
                )
            }
        }
    }

    /// The boxes that a repair has to keep, by what it says.
    private static func judged(_ boxes: BoxBytes, by output: Data) -> BoxBytes {
        let report = (try? JSONSerialization.jsonObject(with: output)) as? [String: Any]
        return (report?["already_removed"] as? Int ?? 0) > 0 ? BoxBytes() : boxes
    }

    private static func run(
        _ words: [String],
        _ input: Data?,
        _ environment: [String: String]
    ) throws(Finding) -> FinishedProgram {
        do {
            return try Program.cachetool.run(
                words + ["--group", Scene.group, "--no-prompt"],
                input: input,
                environment: environment,
                within: .seconds(60)
            )
        } catch {
            throw Finding(kind: .ended, sentence: "cachetool does not start: \(error)")
        }
    }

    private func judge(_ done: FinishedProgram, _ command: Command) throws(Finding) {
        let words = command.words.joined(separator: " ")
        guard let code = done.exitCode, (0...9).contains(code) else {
            let how = done.exitCode.map { "exit code \($0)" } ?? "a signal, or after a minute"
            throw Finding(kind: .ended, sentence: "cachetool \(words) ended with \(how): \(done.messages.suffix(300))")
        }
        // What was asked for stands on standard output, and there alone.
        let isAsked = command.words.first == "export"
        let said = done.messages + (isAsked ? "" : String(decoding: done.output, as: UTF8.self))
        if said.contains(People.canary) {
            throw Finding(kind: .shown, sentence: "cachetool \(words) shows a secret")
        }
        if isAsked { try trial.checkForeign(People.secrets(in: Array(done.output))) }
    }
}
