// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import TokenCaching

/// The root command. It is called cachetool, since users type that: cachetool hands its command line on.
struct SignInTool: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cachetool",
        abstract: "Sign users in, and get tokens for commands.",
        discussion: "This program is started by cachetool, whose help says more.",
        version: TokenCache.packageVersion,
        subcommands: [SignInCommand.self, TokenCommand.self, SignOutCommand.self, HandleRedirectCommand.self]
    )

    static var _errorPrefix: String { "cachetool: " }

    /// The commands that messages of this program and of the libraries advise.
    static let commandNames = [
        "slots list", "slots add", "accounts", "doctor", "export", "import", "lookup", "migrate", "repair", "sign-in",
        "sign-out", "slots", "token", "unlock", "verify",
    ]
}
