// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The parameters of a silent request.
struct LookupOptions: ParsableArguments {
    @Option(parsing: .unconditional, help: ArgumentHelp("A home account id or a username.", valueName: "account"))
    var account: String?

    @Option(parsing: .unconditional, help: ArgumentHelp("The app that asks.", valueName: "client"))
    var client: String

    @Option(help: ArgumentHelp("The requested scopes, separated by spaces, in quotes.", valueName: "scopes"))
    var scopes: String

    @Option(
        help: ArgumentHelp(
            "A tenant, or common, organizations, consumers. (default: the account's home tenant)",
            valueName: "tenant"
        )
    )
    var tenant: String?

    @Option(
        help: ArgumentHelp("Only tokens of this cloud, named by any of its hosts.", valueName: "host")
    )
    var environment: String?

    @Option(help: ArgumentHelp("A claims challenge (JSON): ignores the cached access token.", valueName: "json"))
    var claims: String?
}
