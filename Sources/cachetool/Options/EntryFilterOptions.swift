// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CacheAdministration
import TokenCaching
import ToolInterface

/// Restricts a command to some entries. All given filters must match.
struct EntryFilterOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Only entries of this account: its home account id or username, or how one of them begins (clear: whole usernames).",
            valueName: "account"
        ),
        completion: NameCompletion.accounts
    )
    var account: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Only entries of this client id; its beginning is enough.", valueName: "client"),
        completion: NameCompletion.clients
    )
    var client: String?

    @Option(
        help: ArgumentHelp("Only entries of this tenant (realm); its beginning is enough.", valueName: "tenant"),
        completion: NameCompletion.tenants
    )
    var tenant: String?

    @Option(help: ArgumentHelp("Only entries of this kind; may be repeated.", valueName: "kind"))
    var kind: [EntryKindName] = []

    @Flag(help: "Only tokens that have expired.")
    var expired = false

    var isEmpty: Bool {
        account == nil && client == nil && tenant == nil && kind.isEmpty && !expired
    }

    /// Called by the parser. A variable without a value must not select nothing, or everything.
    func validate() throws {
        for (option, value) in [("--account", account), ("--client", client), ("--tenant", tenant)] where value == "" {
            throw ValidationError("\(option) is empty. Give it a value, or omit it.")
        }
    }

    /// The library's filter, with partly typed names completed.
    ///
    /// - Parameters:
    ///   - names: completes names.
    ///   - now: seconds since 1970.
    /// - Returns: the filter.
    /// - Throws: ``CommandFailure`` if a name is ambiguous.
    func filter(_ names: TypedNames, _ now: Int64) throws -> EntryFilter {
        EntryFilter(
            // A handle is the name of an account that shares its id with others.
            account: try account.map { AccountHandle($0) == nil ? try names.account($0) : $0 },
            clientID: try client.map { try names.client($0) },
            tenant: try tenant.map { try names.tenant($0) },
            kinds: kind.isEmpty ? nil : Set(kind.flatMap(\.kinds)),
            expiry: expired ? .expired(by: Timestamp(secondsSince1970: now)) : nil
        )
    }
}

/// A kind of entry, as typed: "AccessToken", "access-token" and "access token" are the same.
struct EntryKindName: ExpressibleByArgument {
    let kinds: Set<CachedEntryKind>

    init?(argument: String) {
        let wanted = Self.normalized(argument)
        kinds = Set(CachedEntryKind.allCases.filter { Self.normalized($0.name) == wanted })
        if kinds.isEmpty { return nil }
    }

    /// The names that lists show, in their order.
    static let allValueStrings = CachedEntryKind.allCases.map(\.name)

    private static func normalized(_ name: String) -> String {
        name.lowercased().filter { !"-_ ".contains($0) }
    }
}
