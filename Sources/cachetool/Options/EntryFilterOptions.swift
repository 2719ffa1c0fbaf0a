// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CacheAdministration
import TokenCaching

/// Restricts a command to some entries. All given filters must match.
struct EntryFilterOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Only entries of this home account id or username.", valueName: "account")
    )
    var account: String?

    @Option(parsing: .unconditional, help: ArgumentHelp("Only entries of this client id.", valueName: "client"))
    var client: String?

    @Option(help: ArgumentHelp("Only entries of this tenant (realm).", valueName: "tenant"))
    var tenant: String?

    @Option(help: ArgumentHelp("Only entries of this kind; may be repeated.", valueName: "kind"))
    var kind: [EntryKindName] = []

    @Flag(help: "Only tokens that have expired.")
    var expired = false

    var isEmpty: Bool {
        account == nil && client == nil && tenant == nil && kind.isEmpty && !expired
    }

    /// The library's filter.
    ///
    /// - Parameter now: seconds since 1970.
    /// - Returns: the filter.
    func filter(now: Int64) -> EntryFilter {
        EntryFilter(
            account: account,
            client: client,
            tenant: tenant,
            kinds: kind.isEmpty ? nil : Set(kind.flatMap(\.kinds)),
            isExpired: expired ? true : nil,
            now: Timestamp(secondsSince1970: now)
        )
    }
}
