// SPDX-License-Identifier: Apache-2.0

import ByteOperations

/// Adds the options that select the group to the commands in a message, so that users can copy the commands.
public struct AdvisedCommands {
    /// Nil for the default group.
    private let group: String?
    /// Nil for the user's own root.
    private let root: String?
    /// The names of all commands as typed after the program's name, longer ones first: `slots list` before `slots`.
    private let names: [String]
    /// The options that name the other library's cache that is shown; nil if a group is shown.
    private let document: String?

    /// - Parameters:
    ///   - group: nil for the default group.
    ///   - root: nil for the user's own root.
    ///   - names: the names of all commands as typed after the program's name, longer ones first: `slots list` before
    ///     `slots`.
    ///   - document: the options that name the other library's cache that is shown; nil if a group is shown.
    public init(group: String?, root: String?, names: [String], document: String? = nil) {
        self.group = group
        self.root = root
        self.names = names
        self.document = document
    }

    /// The options for another command on the same group; empty for the default group under the user's own root.
    var options: String { groupOption + rootOption }

    private var groupOption: String {
        guard let group, group != GroupOptions.standardGroup else { return "" }
        return " --group \(group)"
    }

    private var rootOption: String { root.map { " --root \(Self.shellWord($0))" } ?? "" }

    /// The text with the options inserted after the name of each command, unless they are already there.
    public func completed(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        while let found = rest.firstRange(of: "cachetool ") {
            result += rest[..<found.upperBound]
            rest = rest[found.upperBound...]
            guard let name = commandName(at: rest) else { continue }
            result += name
            rest = rest.dropFirst(name.count)
            let options = options(of: name)
            if !rest.hasPrefix(options) { result += options }
        }
        return result + rest
    }

    /// The options for a command. Commands that list groups name no group, and a removal always names one.
    private func options(of command: Substring) -> String {
        switch command {
        case "groups", "groups list": rootOption
        case "groups remove": " \(group ?? GroupOptions.standardGroup)" + rootOption
        case "accounts", "inspect", "list", "lookup": document.map { " " + $0 } ?? options
        default: options
        }
    }

    /// The name of the command at the start of a text, including a sub-command.
    private func commandName(at text: Substring) -> Substring? {
        let words = text.prefix { $0.isLetter || $0 == "-" || $0 == " " }
        for name in names where words.hasPrefix(name) {
            let end = words.dropFirst(name.count).first
            if end == nil || end == " " { return text.prefix(name.count) }
        }
        return nil
    }

    /// Quotes a string as one shell word.
    public static func shellWord(_ text: String) -> String { ShellWord.quoted(text) }
}
