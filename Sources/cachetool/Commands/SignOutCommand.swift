// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CacheAdministration
import TokenCaching
import ToolInterface

/// `cachetool sign-out`
struct SignOutCommand: GroupCommand {
    static let configuration = SignInCommands.signOut

    @OptionGroup(title: "Sign-out options") var options: SignOutOptions
    @OptionGroup(title: "Group options") var group: GroupOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func perform(in session: Session) throws {
        if options.needsNetwork { try SignInProgram.takeOver() }
        let group = try session.open(.readWrite)
        defer { group.close() }
        let dialogue = try SignOutDialogue(options, in: group, session: session)
        try dialogue.cache.signOut(dialogue.account)
        dialogue.report(to: session, forgottenCount: options.forget ? try dialogue.forgetRevocations() : nil)
    }
}
