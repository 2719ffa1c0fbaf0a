// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import TokenCaching
import ToolInterface

/// The root command, which lists the sub-commands.
struct Cachetool: ParsableCommand {
    static let version = TokenCache.packageVersion

    static let configuration = CommandConfiguration(
        commandName: "cachetool",
        abstract: "Inspect and maintain sealed token caches.",
        discussion: """
            A group is a token cache that several programs share. Everything in it is sealed on disk; cachetool \
            shows the contents of a group, shows what a silent sign-in would return and why, imports and exports \
            the caches of MSAL libraries, and maintains groups. It prints tokens only if you use export or \
            --reveal.

            EXAMPLES:
              cachetool import --group work ~/.cache/msal.json
              cachetool accounts --group work
              cachetool lookup --group work --account me@contoso.example \\
                  --client 11111111-2222-3333-4444-555555555555 --scopes "User.Read"
              cachetool export --group work msal.json

            EXIT STATUS:
            \(exitStatusTable)
            """,
        version: version,
        groupedSubcommands: [
            CommandGroup(
                name: "Reading",
                subcommands: [
                    StatusCommand.self, GroupsCommand.self, AccountsCommand.self, ListCommand.self, InspectCommand.self,
                    LookupCommand.self, StatsCommand.self, WatchCommand.self,
                ]
            ),
            CommandGroup(
                name: "Signing in",
                subcommands: [SignInCommand.self, TokenCommand.self, ProfilesCommand.self]
            ),
            CommandGroup(name: "Interchange", subcommands: [ImportCommand.self, ExportCommand.self]),
            CommandGroup(name: "Removal", subcommands: [SignOutCommand.self, ClearCommand.self]),
            CommandGroup(
                name: "Maintenance",
                subcommands: [
                    DoctorCommand.self, VerifyCommand.self, RepairCommand.self, CompactCommand.self, RekeyCommand.self,
                    SlotsCommand.self, MigrateCommand.self, UnlockCommand.self,
                ]
            ),
        ]
    )

    /// The names of all commands as typed after the program's name, longer ones first: `slots list` before `slots`.
    static let commandNames: [String] = configuration.subcommands.flatMap { command in
        let name = command._commandName
        return command.configuration.subcommands.map { name + " " + $0._commandName } + [name]
    }

    static var _errorPrefix: String { "cachetool: " }

    private static var exitStatusTable: String {
        ExitStatus.allCases.map { "  \($0.rawValue)  \($0.meaning)" }.joined(separator: "\n")
    }
}
