// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CacheAdministration
import ToolInterface

/// The parameters of a silent request.
struct LookupOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("A home account id or a username, or how one of them begins.", valueName: "account"),
        completion: NameCompletion.accounts
    )
    var account: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The requesting app; the beginning of its id is enough.", valueName: "client"),
        completion: NameCompletion.clients
    )
    var client: String

    @Option(help: ArgumentHelp("The requested scopes, separated by spaces, in quotes.", valueName: "scopes"))
    var scopes: String

    @Option(
        help: ArgumentHelp(
            "A tenant, or common, organizations, consumers. (default: the account's home tenant)",
            valueName: "tenant"
        ),
        completion: NameCompletion.tenants
    )
    var tenant: String?

    @Option(
        help: ArgumentHelp("Only tokens of this cloud, named by any of its hosts.", valueName: "host")
    )
    var environment: String?

    @Option(help: ArgumentHelp("A claims challenge (JSON): ignores the cached access token.", valueName: "json"))
    var claims: String?
}

extension LookupOptions {
    /// The options with partly typed names completed.
    func completed(_ names: TypedNames) throws -> LookupOptions {
        var options = self
        options.account = try account.map(names.account)
        options.client = try names.client(client, of: options.account)
        if let tenant, !Self.tenantAliases.contains(tenant.lowercased()) {
            options.tenant = try names.tenant(tenant, of: options.account)
        }
        return options
    }

    private static let tenantAliases = ["common", "organizations", "consumers"]
}
