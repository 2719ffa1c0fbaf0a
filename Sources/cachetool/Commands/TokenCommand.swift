// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ToolInterface

/// `cachetool token`, which cachetool-sign-in runs.
struct TokenCommand: ParsableCommand {
    static let configuration = SignInCommands.token

    @OptionGroup(title: "Token options") var options: TokenOptions
    @OptionGroup(title: "Showing the token") var reveal: RevealOptions
    @OptionGroup(title: "Group options") var group: GroupOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run() throws { try SignInProgram.takeOver() }
}
