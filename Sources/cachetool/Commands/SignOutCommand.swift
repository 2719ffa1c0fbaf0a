// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CacheAdministration
import TokenCaching
import ToolInterface

/// `cachetool sign-out`
struct SignOutCommand: GroupCommand {
    static let configuration = SignInCommands.signOut

    @Argument(
        help: ArgumentHelp("A home account id, or its beginning, or a username.", valueName: "account"),
        completion: NameCompletion.accounts
    )
    var account: String

    @OptionGroup(title: "Sign-out options") var options: SignOutOptions
    @OptionGroup(title: "Group options") var group: GroupOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func perform(in session: Session) throws {
        if options.needsNetwork { try SignInProgram.takeOver() }
        let group = try session.open(.readWrite)
        defer { group.close() }
        let dialogue = try SignOutDialogue(account, options: options, in: group, session: session)
        try dialogue.cache.signOut(dialogue.account)
        dialogue.report(to: session, forgottenCount: options.forget ? try dialogue.forgetRevocations() : nil)
    }
}
