// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ToolInterface

/// `cachetool sign-in`, which cachetool-sign-in runs.
struct SignInCommand: ParsableCommand {
    static let configuration = SignInCommands.signIn

    @OptionGroup(title: "Sign-in options") var options: SignInOptions
    @OptionGroup(title: "Group options") var group: GroupOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run() throws { try SignInProgram.takeOver() }
}
