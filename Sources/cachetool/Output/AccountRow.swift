// SPDX-License-Identifier: Apache-2.0

import CacheAdministration
import TokenCaching
import ToolInterface

/// One account in `cachetool accounts`.
enum AccountRow {
    static let columns: [TableColumn] = [
        .username("USERNAME"), TableColumn("NAME", minimum: 10, isOptional: true),
        .id("HOME ACCOUNT ID"), TableColumn("TENANTS", .right, isOptional: true),
        .id("APPS"),
    ]

    static func sorted(_ accounts: [GroupAccount]) -> [GroupAccount] {
        accounts.sorted { areInOrder($0.account, $1.account) }
    }

    /// Accounts are listed by username, then by id, then by what else is shown.
    static func areInOrder(_ one: Account, _ other: Account) -> Bool {
        let texts = [one, other].map { account in
            [account.username ?? "", account.id.text, account.environment]
                + account.tenantProfiles.flatMap {
                    [$0.tenant, $0.environment, $0.localAccountID ?? "", $0.name ?? ""]
                }
        }
        return texts[0].lexicographicallyPrecedes(texts[1])
    }

    /// The cells for human readers. A single application is shown by its id, which other commands accept.
    static func cells(_ row: GroupAccount) -> [TableCell] {
        let name = row.account.tenantProfiles.lazy.compactMap(\.name).first ?? ""
        let apps =
            switch row.signedInClients.count {
            case 0: TableCell("signed out", .bad)
            case 1: TableCell(row.signedInClients[0], .good)
            default: TableCell(HumanNumber.count(row.signedInClients.count, one: "app", many: "apps"), .good)
            }
        return [
            TableCell(row.account.username ?? ""), TableCell(name),
            TableCell(row.account.hasHomeAccountID ? row.account.id.text : "", .dim),
            TableCell(HumanNumber.count(row.account.tenantProfiles.count)), apps,
        ]
    }

    /// The members for programs.
    static func write(_ row: GroupAccount, _ json: JSONWriter) {
        json.member("username", row.account.username ?? "")
        json.account(row.account.hasHomeAccountID ? row.account.id : nil)
        json.member("environment", row.account.environment)
        json.member("signed_in", !row.signedInClients.isEmpty)
        json.member("signed_in_clients", row.signedInClients)
        json.array("tenants") {
            for profile in row.account.tenantProfiles {
                json.objectElement {
                    json.member("tenant", profile.tenant)
                    json.member("environment", profile.environment)
                    json.member("local_account_id", profile.localAccountID)
                    json.member("username", profile.username ?? "")
                    json.member("name", profile.name)
                    json.member("home", profile.isHome)
                }
            }
        }
    }
}
