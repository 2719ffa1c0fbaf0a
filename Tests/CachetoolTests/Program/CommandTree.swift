// SPDX-License-Identifier: Apache-2.0

@testable import cachetool

/// The commands that cachetool has, each as the words that are typed behind the program. Tests that hold for every command take them
/// from here, so that a new one cannot be forgotten.
enum CommandTree {
    /// All of them; `[]` is the program itself.
    static let all: [[String]] = [[]] + commands

    /// Those that do something by themselves, and do not only have others below them.
    static let leaves: Set<[String]> = Set(
        commands.filter { words in !commands.contains { $0.dropLast() == words[...] } }
    )

    /// Those that cachetool-sign-in runs, which the tests beside the strict provider start: see Tests/Providers.
    static let signingIn: Set<[String]> = [["sign-in"], ["token"]]

    /// The command that a command line begins with; nil where it begins with none.
    static func command(of words: [String]) -> [String]? {
        leaves.filter { words.starts(with: $0) }.max { $0.count < $1.count }
    }

    private static let commands = Cachetool.commandNames.map { $0.split(separator: " ").map(String.init) }
}
