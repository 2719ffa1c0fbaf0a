// SPDX-License-Identifier: Apache-2.0

import CacheAdministration
import TokenCaching
import ToolInterface

/// The accounts of a group with the apps that are signed in to them.
struct AccountCensus {
    struct Row {
        let account: Account
        /// The ids of clients that can get tokens for it without asking the user.
        let clients: [String]

        var homeAccountID: String? { account.hasHomeAccountID ? account.id.text : nil }
    }

    let accounts: [Row]

    /// Reads the accounts as one app sees them, or as each app with entries in the group does.
    init(of cache: CacheGroup, _ options: AccountOptions, _ session: Session) throws {
        var rows: [Account.ID: Row] = [:]
        var views: [TokenCache] = []
        defer {
            for view in views { view.close() }
        }
        let names = TypedNames(cache, session.console)
        var options = options
        options.client = try options.client.map { try names.client($0) }
        options.account = try options.account.map(names.account)
        options.tenant = try options.tenant.map { try names.tenant($0) }
        for client in try Self.clients(cache, options) {
            let view = try cache.tokenCache(clientID: client)
            views.append(view)
            for account in try Self.accounts(view, options) {
                let known = rows[account.id]?.clients ?? []
                rows[account.id] = Row(account: account, clients: known + (account.isSignedIn ? [client] : []))
            }
        }
        accounts = rows.values
            .filter { row in options.all || !row.clients.isEmpty }
            .filter { row in Self.fits(row.account, options) }
            .sorted { ($0.account.username, $0.account.id.text) < ($1.account.username, $1.account.id.text) }
    }

    private static func clients(_ cache: CacheGroup, _ options: AccountOptions) throws -> [String] {
        if let client = options.client { return [client] }
        var clients: Set<String> = []
        try cache.forEachEntry { entry throws(TokenCacheError) in
            if let client = entry.clientID { clients.insert(client.lowercased()) }
        }
        // Accounts without any token are included; every app sees them.
        return clients.isEmpty ? ["-"] : clients.sorted()
    }

    private static func accounts(_ view: TokenCache, _ options: AccountOptions) throws -> [Account] {
        guard let wanted = options.account else { return try view.accounts(matching: .all) }
        let byID = try view.accounts(matching: AccountFilter(id: Account.ID(wanted), includesSignedOut: true))
        if !byID.isEmpty { return byID }
        return try view.accounts(matching: AccountFilter(username: wanted, includesSignedOut: true))
    }

    private static func fits(_ account: Account, _ options: AccountOptions) -> Bool {
        guard let tenant = options.tenant?.lowercased() else { return true }
        return account.tenantProfiles.contains { $0.tenant.lowercased() == tenant }
    }
}

// MARK: - Output

extension AccountCensus {
    /// For human readers.
    var table: Table {
        var table = Table([
            .username("USERNAME"), TableColumn("NAME", minimum: 10, expendable: 2),
            .id("HOME ACCOUNT ID", expendable: 1),
            TableColumn("TENANTS", .right, expendable: 3), .id("APPS"),
        ])
        for row in accounts {
            let name = row.account.tenantProfiles.lazy.compactMap(\.name).first ?? ""
            table.add([
                TableCell(row.account.username), TableCell(name), TableCell(row.homeAccountID ?? "", .dim),
                TableCell(HumanNumber.count(row.account.tenantProfiles.count)),
                Self.apps(row.clients),
            ])
        }
        return table
    }

    /// One app is shown by its id, which other commands take.
    private static func apps(_ clients: [String]) -> TableCell {
        switch clients.count {
        case 0: TableCell("signed out", .bad)
        case 1: TableCell(clients[0], .good)
        default: TableCell(HumanNumber.count(clients.count, one: "app", many: "apps"), .good)
        }
    }

    /// For programs.
    func write(_ json: JSONWriter, group: String) {
        json.document {
            json.member("group", group)
            json.array("accounts") {
                for row in accounts {
                    json.objectElement { write(row, json) }
                }
            }
        }
    }

    private func write(_ row: Row, _ json: JSONWriter) {
        json.member("username", row.account.username)
        json.member("home_account_id", row.homeAccountID)
        json.member("environment", row.account.environment)
        json.member("signed_in", !row.clients.isEmpty)
        json.member("signed_in_clients", row.clients)
        json.array("tenants") {
            for profile in row.account.tenantProfiles {
                json.objectElement {
                    json.member("tenant", profile.tenant)
                    json.member("environment", profile.environment)
                    json.member("local_account_id", profile.localAccountID)
                    json.member("username", profile.username)
                    json.member("name", profile.name)
                    json.member("home", profile.isHome)
                }
            }
        }
    }
}
