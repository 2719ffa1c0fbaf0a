// SPDX-License-Identifier: Apache-2.0

/// Adds the options that select the group to the commands that a message advises, so that they can be copied as they
/// are.
public struct AdvisedCommands {
    /// Nil for the default group.
    private let group: String?
    /// Nil for the user's own.
    private let root: String?
    /// Each command as it is typed behind the program, longer ones first: `slots list` before `slots`.
    private let names: [String]
    /// The options that name the shown cache of another library; nil if a group is shown.
    private let document: String?

    /// - Parameters:
    ///   - group: nil for the default group.
    ///   - root: nil for the user's own.
    ///   - names: each command as it is typed behind the program, longer ones first: `slots list` before `slots`.
    ///   - document: the options that name the shown cache of another library; nil if a group is shown.
    public init(group: String?, root: String?, names: [String], document: String? = nil) {
        self.group = group
        self.root = root
        self.names = names
        self.document = document
    }

    /// The options for another command on the same group; empty for the default one under the user's own root.
    var options: String { groupOption + rootOption }

    private var groupOption: String {
        guard let group, group != GroupOptions.standardGroup else { return "" }
        return " --group \(group)"
    }

    private var rootOption: String { root.map { " --root \(Self.shellWord($0))" } ?? "" }

    /// The text with the options after the name of each command, unless they are already there.
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

    /// The options for a command: those for lists of groups name no group, and a removal is never that of the default
    /// one.
    private func options(of command: Substring) -> String {
        switch command {
        case "groups", "groups list": rootOption
        case "groups remove": " \(group ?? GroupOptions.standardGroup)" + rootOption
        case "accounts", "inspect", "list", "lookup": document.map { " " + $0 } ?? options
        default: options
        }
    }

    /// The name of the command that a text begins with, including its sub-command if it has some.
    private func commandName(at text: Substring) -> Substring? {
        let words = text.prefix { $0.isLetter || $0 == "-" || $0 == " " }
        for name in names where words.hasPrefix(name) {
            let end = words.dropFirst(name.count).first
            if end == nil || end == " " { return text.prefix(name.count) }
        }
        return nil
    }

    /// A string as one shell word.
    public static func shellWord(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "/._-+:,@%".utf8.contains(byte)
            }
        }
        if isPlain, !text.isEmpty { return text }
        let parts = text.split(separator: "'", omittingEmptySubsequences: false)
        return "'" + parts.joined(separator: "'\\''") + "'"
    }
}
