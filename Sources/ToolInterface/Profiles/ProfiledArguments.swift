// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import TokenCaching

/// A command line on which the name of a profile stands for the profile's options.
public enum ProfiledArguments {
    /// The environment variable with the name of a profile, for command lines that name neither a profile nor an app.
    public static let variable = "CACHETOOL_PROFILE"

    /// Adds the options of the profile that a command line names, except for those that were typed.
    ///
    /// - Parameters:
    ///   - arguments: the command line without the program.
    ///   - program: knows the options of each command.
    /// - Returns: the command line; without the profile's name for `sign-out`.
    /// - Throws: ``CommandFailure`` if there is no such profile, or the file of profiles is not valid.
    public static func expanded(
        _ arguments: [String],
        of program: any ParsableCommand.Type
    ) throws(CommandFailure) -> [String] {
        guard let name = arguments.first, ["lookup", "sign-in", "sign-out", "token"].contains(name),
            let command = program.configuration.subcommands.first(where: { $0._commandName == name })
        else { return arguments }
        let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
        var line = Line(command: name, options: options(of: command), words: Array(arguments[1..<end]))
        guard !["--help", "-h", "--version"].contains(where: line.has) else { return arguments }
        return try line.expand() ? [name] + line.words + arguments[end...] : arguments
    }

    /// The options of a command, which only its help tells, and whether they have a value.
    private static func options(of command: any ParsableCommand.Type) -> [String: Bool] {
        var options: [String: Bool] = [:]
        for line in command.helpMessage(columns: 200).split(separator: "\n") where line.hasPrefix("  -") {
            let label = line.dropFirst(2).prefix { $0 != "<" }
            let isValued = label.endIndex < line.endIndex && !label.contains("  ")
            for word in label.split(separator: " ").prefix(while: { $0.hasPrefix("-") }) {
                options[String(word.prefix { $0 != "," })] = isValued
            }
        }
        return options
    }

    private struct Line {
        let command: String
        /// The options of the command, and whether they have a value.
        let options: [String: Bool]
        /// The words before a double hyphen.
        var words: [String]

        func has(_ option: String) -> Bool { words.contains { $0 == option || $0.hasPrefix(option + "=") } }

        /// The place of the first word that is neither an option nor the value of one; nil behind an unknown option, which
        /// the parser reports.
        var place: Int? {
            var index = words.startIndex
            while index < words.endIndex, words[index].hasPrefix("-") {
                guard let isValued = options[String(words[index].prefix { $0 != "=" })] else { return nil }
                index += isValued && !words[index].contains("=") ? 2 : 1
            }
            return index < words.endIndex ? index : nil
        }

        /// Options that name what a profile would name.
        private static let namesOfOthers = [
            "--account", "--application", "--attribute", "--client", "--file", "--for", "--from", "--schema",
        ]

        /// - Returns: false if no profile is named.
        mutating func expand() throws(CommandFailure) -> Bool {
            if let place {
                return try expand(words[place], at: place)
            }
            guard command != "sign-in", !Self.namesOfOthers.contains(where: has),
                let name = Syscalls.environment(ProfiledArguments.variable)
            else { return false }
            words.append(name)
            return try expand(name, at: words.endIndex - 1, isFromEnvironment: true)
        }

        private mutating func expand(
            _ name: String,
            at place: Int,
            isFromEnvironment: Bool = false
        ) throws(CommandFailure) -> Bool {
            func unknown(_ names: [String]) -> CommandFailure {
                let origin = isFromEnvironment ? ", which \(ProfiledArguments.variable) names" : ""
                let near = Spelling.nearest(to: name, among: names).map { " Did you mean \($0)?" } ?? ""
                return CommandFailure(
                    .usage,
                    "There is no profile \(VisibleText.escaped(name))\(origin).\(near)",
                    advice: names.isEmpty
                        ? "cachetool sign-in --save-as NAME makes one." : "cachetool profiles lists them."
                )
            }
            // What is no name of a profile may be an account to sign out.
            let isAccount = command == "sign-out" && (has("--client") || !Profile.isName(name))
            guard Profile.isName(name), ProfileFile.place != nil || !isAccount else {
                if isAccount { return false }
                throw unknown([])
            }
            let file = try ProfileFile.read()
            guard let profile = file[name] else {
                if isAccount { return false }
                throw unknown(file.profiles.map(\.name))
            }
            if command == "sign-out" { words.remove(at: place) }
            let added = profile.options.compactMap { word(of: $0, in: profile) }
            if command == "sign-in", profile["parameter"] != nil, !has("--isolate") { words.insert("--isolate", at: 0) }
            words.insert(contentsOf: added, at: 0)
            return true
        }

        /// The word of an option; nil if the command does not have it, or if it was typed.
        private func word(of option: (name: String, value: String), in profile: Profile) -> String? {
            let name = "--" + option.name
            guard options[name] == true, !has(name), !Self.alternatives(to: option.name).contains(where: has) else {
                return nil
            }
            // There the API names the rest.
            if command != "lookup", command != "sign-out", profile["for"] != nil, Self.ofAPI.contains(option.name) {
                return nil
            }
            guard command == "sign-in", option.name == "account" else { return "\(name)=\(option.value)" }
            // Elsewhere the authority says who signed in.
            guard profile[Profile.withoutIDTokens] != nil else { return nil }
            return "\(name)=\(Account.ID(option.value).homeAccountID)"
        }

        /// What the address of an API stands for.
        private static let ofAPI: Set = ["authority", "client", "scopes", "resource"]

        /// The options that cannot be combined with one of a profile.
        private static func alternatives(to option: String) -> [String] {
            switch option {
            case "client-secret-file", "client-assertion-file":
                ["--client-secret-file", "--client-secret-fd", "--client-assertion-file", "--for"]
            case "account": ["--application"]
            case "login-hint", "redirect-uri": ["--device-code"]
            case "token-endpoint", "audience": ["--for"]
            case "for": ["--client", "--scopes", "--authority", "--resource"]
            default: ofAPI.contains(option) ? ["--for"] : []
            }
        }
    }
}
