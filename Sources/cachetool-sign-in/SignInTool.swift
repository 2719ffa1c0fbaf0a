// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import TokenCaching

/// The root command. Its name is cachetool, because users type that: cachetool passes its command line to this program.
struct SignInTool: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cachetool",
        abstract: "Sign users in, and get tokens for commands.",
        discussion: "cachetool starts this program; see cachetool help.",
        version: TokenCache.packageVersion,
        subcommands: [SignInCommand.self, TokenCommand.self, SignOutCommand.self, RevokePendingCommand.self]
    )

    static var _errorPrefix: String { "cachetool: " }

    /// The names of commands in the advice of this program and of the libraries.
    static let commandNames = [
        "slots list", "slots add", "accounts", "doctor", "export", "import", "lookup", "migrate", "profiles", "repair",
        "sign-in", "sign-out", "slots", "token", "unlock", "verify",
    ]
}
