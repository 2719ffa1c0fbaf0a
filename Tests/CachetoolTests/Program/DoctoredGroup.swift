// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs

/// A group of a user with a home of their own, for whatever doctor is to say of it.
final class DoctoredGroup {
    let home: ScratchRoot
    /// The keyring of the session, if it has one.
    let keyring: PrivateKeyring?
    /// Processes that end with the group.
    var processes: [RunningProgram] = []
    /// Whoever runs the commands.
    var userID: UInt32?
    /// The program that runs the commands, and its arguments, where one is to.
    var wrapper: [String] = []
    var environment: [String: String]
    /// What comes after each command but those that are followed, which name the group themselves.
    var options = ["--group", DoctoredGroup.name]

    static let name = "contoso"

    var root: String { home.path + "/.local/share/swift-token-cache" }
    var folder: String { root + "/" + Self.name }
    var journal: URL { URL(filePath: folder + "/journal") }
    var keys: String { home.path + "/.local/state/swift-token-cache/keys" }

    var keyFile: String {
        get throws {
            let names = try FileManager.default.contentsOfDirectory(atPath: keys)
            guard let name = names.first else { throw Unfit(reason: "there is no key file") }
            return keys + "/" + name
        }
    }

    init(keyring: PrivateKeyring? = nil) throws {
        home = try ScratchRoot()
        self.keyring = keyring
        let programs = URL(filePath: Program.cachetool.path).deletingLastPathComponent().path()
        environment = ["PATH": programs + ":/usr/bin:/bin", "HOME": home.path]
        environment["DBUS_SESSION_BUS_ADDRESS"] = keyring?.address
    }

    deinit {
        for process in processes {
            process.resume()
            process.kill()
            _ = try? process.finish()
        }
    }

    /// Runs a line of shell as the user.
    func shell(_ line: String, input: Data? = nil) throws -> FinishedProgram {
        try asUser(["/bin/sh", "-c", line], input: input)
    }

    func run(_ command: [String], input: Data? = nil) throws -> FinishedProgram {
        try asUser([Program.cachetool.path] + command + options, input: input)
    }

    private func asUser(_ command: [String], input: Data?) throws -> FinishedProgram {
        let user = userID.map { ["/usr/bin/setpriv", "--reuid=\($0)", "--regid=\($0)", "--clear-groups"] } ?? []
        let words = user + wrapper + command
        return try Program(path: words[0]).run(Array(words.dropFirst()), input: input, environment: environment)
    }

    func run(_ command: String..., input: Data? = nil) throws -> FinishedProgram { try run(command, input: input) }

    func fill(_ document: Data? = nil, _ more: String...) throws {
        let done = try run(["import", "-", "--timeout", "60"] + more, input: document ?? SampleCache().document)
        guard done.exitCode == 0 else { throw Unfit(reason: "the group could not be made: \(done.messages)") }
    }

    /// Changes the bytes of a file where it is.
    func change(_ path: String, _ body: (inout Data) -> Void) throws {
        let url = URL(filePath: path)
        var bytes = try Data(contentsOf: url)
        body(&bytes)
        let file = try FileHandle(forWritingTo: url)
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: bytes)
        try file.close()
    }

    struct Finding {
        let topic: String, level: String, text: String, advice: String
        let since: Int?
    }

    /// What doctor finds, each with what it has to have.
    func findings(_ more: String...) throws -> (exitCode: Int32?, all: [Finding]) {
        let done = try run(["doctor", "--json"] + more)
        let all = try (done.json["findings"] as? [[String: Any]] ?? []).map { finding in
            guard let topic = finding["topic"] as? String, let level = finding["level"] as? String,
                let text = finding["description"] as? String, finding.keys.contains("since"),
                let advice = finding["advice"] as? String, !advice.isEmpty
            else { throw Unfit(reason: "a finding lacks a member: \(finding)") }
            return Finding(
                topic: topic,
                level: level,
                text: text,
                advice: advice,
                since: finding["since"] as? Int
            )
        }
        return (done.exitCode, all)
    }

    /// The commands that an advice names, as they stand there.
    static func commands(in advice: String) -> [String] {
        let programs: Set = ["cachetool", "chmod", "kill", "rm"]
        let ends: Set = [
            "to", "which", "for", "or", "if", "and", "on", "first", "later", "removes", "shows", "saves", "lists",
            "opens",
        ]
        var commands: [String] = []
        var words: [Substring]?
        for word in advice.split(whereSeparator: \.isWhitespace) {
            let isLast = word.last.map { ".,;:".contains($0) } ?? false
            let bare = isLast ? word.dropLast() : word
            if words == nil {
                if programs.contains(String(bare)) { words = [bare] }
            } else if ends.contains(String(bare)) {
                commands.append((words ?? []).joined(separator: " "))
                words = nil
            } else {
                words?.append(bare)
            }
            if isLast, let whole = words {
                commands.append(whole.joined(separator: " "))
                words = nil
            }
        }
        if let words { commands.append(words.joined(separator: " ")) }
        return commands.filter { $0.contains(" ") }
    }

    /// Does what an advice says: runs the commands that it names, and says yes where they ask.
    ///
    /// - Returns: the commands.
    @discardableResult
    func follow(_ advice: String) throws -> [String] {
        let commands = Self.commands(in: advice)
        for command in commands {
            // What is written under the name of a file in the advice must not stay in the project's folder.
            _ = try shell("cd \"$HOME\" && " + (command.hasPrefix("cachetool repair") ? command + " --yes" : command))
        }
        return commands
    }
}
