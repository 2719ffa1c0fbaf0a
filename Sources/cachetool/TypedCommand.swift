// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ToolInterface

/// Finds mistakes in a command line that the parser would report only as an unexpected argument.
enum TypedCommand {
    /// Other common names of these commands.
    private static let otherNames = [
        "rm": "remove", "delete": "remove", "del": "remove", "ls": "list", "show": "inspect", "cat": "inspect",
        "login": "sign-in", "logout": "sign-out", "new": "add", "create": "add",
    ]

    /// - Parameter arguments: the command line without the program.
    /// - Throws: ``CommandFailure`` that suggests the intended command.
    static func check(_ arguments: [String]) throws(CommandFailure) {
        let words = arguments.first == "help" ? arguments.dropFirst() : arguments[...]
        guard let name = words.first, name != "help" else { return }
        let commands = Cachetool.configuration.subcommands
        guard let command = commands.first(where: { $0._commandName == name }) else {
            if name.hasPrefix("-") { return try checkOptions(before: commands.map { $0._commandName }, words) }
            throw unknown(name, among: commands.map { $0._commandName }, of: nil)
        }
        guard let next = words.dropFirst().first, !next.hasPrefix("-") else {
            return try checkScopes(command, words)
        }
        let subcommands = command.configuration.subcommands.map { $0._commandName }
        if !subcommands.isEmpty, !subcommands.contains(next) {
            throw unknown(next, among: subcommands, of: name)
        }
        if name == "accounts" || name == "list" {
            let word = AdvisedCommands.shellWord(next)
            throw CommandFailure(
                .usage,
                "\(name) takes options only.",
                advice:
                    "For the account \(word), type cachetool \(name) --account \(word); for the group of that name, "
                    + "cachetool \(name) --group \(word)."
            )
        }
        try checkScopes(command, words)
    }

    private static func unknown(_ name: String, among known: [String], of command: String?) -> CommandFailure {
        let other = otherNames[name.lowercased()].flatMap { known.contains($0) ? $0 : nil }
        let prefix = command.map { $0 + " " } ?? ""
        let suggestion =
            (other ?? Spelling.nearest(to: name, among: known)).map { " Did you mean \(prefix)\($0)?" } ?? ""
        let help = ["cachetool help", command].compactMap(\.self).joined(separator: " ")
        return CommandFailure(.usage, "There is no command \(prefix)\(name).\(suggestion) \(help) lists them.")
    }

    /// Options belong after the command; only those for help and the version need none.
    private static func checkOptions(before commands: [String], _ words: ArraySlice<String>) throws(CommandFailure) {
        guard let start = words.firstIndex(where: commands.contains), !words.contains("--help"), !words.contains("-h"),
            words.first != "---completion"
        else { return }
        let end = words[start...].firstIndex(of: "--") ?? words.endIndex
        let moved = words[start..<end] + words[..<start] + words[end...]
        throw CommandFailure(
            .usage,
            "Options belong after the command:",
            advice: "cachetool " + moved.map(AdvisedCommands.shellWord).joined(separator: " ")
        )
    }

    /// The parser would treat all scopes after the first as other arguments.
    private static func checkScopes(
        _ command: any ParsableCommand.Type,
        _ words: ArraySlice<String>
    ) throws(CommandFailure) {
        guard let option = words.firstIndex(of: "--scopes") else { return }
        let scopes = words[(option + 1)...].prefix { !$0.hasPrefix("-") }
        guard scopes.count > 1, hasScopes(command) else { return }
        throw CommandFailure(
            .usage,
            "Several scopes must be a single argument.",
            advice: "Put them in quotes: --scopes \(AdvisedCommands.shellWord(scopes.joined(separator: " ")))"
        )
    }

    /// Whether a command has the option `--scopes`, which only its help tells.
    private static func hasScopes(_ command: any ParsableCommand.Type) -> Bool {
        command.helpMessage(columns: 100).split(separator: "\n").contains { $0.hasPrefix("  --scopes ") }
    }
}
