// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ToolInterface

/// The accounts that `cachetool accounts` lists, and the application whose view it shows.
struct AccountOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Show accounts as this app sees them; the beginning of its id is enough.",
            valueName: "client"
        ),
        completion: NameCompletion.clients
    )
    var client: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Only this account: its home account id or username, or how one of them begins.",
            valueName: "account"
        ),
        completion: NameCompletion.accounts
    )
    var account: String?

    @Option(
        help: ArgumentHelp(
            "Only accounts with a profile in this tenant; its beginning is enough.",
            valueName: "tenant"
        ),
        completion: NameCompletion.tenants
    )
    var tenant: String?

    @Flag(help: "Include signed-out accounts.")
    var all = false
}
