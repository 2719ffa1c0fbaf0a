// SPDX-License-Identifier: Apache-2.0

import TokenCaching
import ToolInterface

/// One line of `cachetool watch`.
enum ChangeRow {
    /// Such as "21:13:05  added     access token   adele@contoso.example  6c05…  User.Read".
    static func line(_ change: CacheChange, now: Int64) -> String {
        var cells = [
            time(now), padded(change.action.rawValue, 8), padded(change.kind.name, 12),
        ]
        if let entry = change.entry {
            cells += [EntryRow.account(entry), entry.clientID ?? entry.familyID.map { "family " + $0 } ?? ""]
            cells.append(entry.scopes.joined(separator: " "))
        } else {
            cells.append("(cannot be read)")
        }
        let line = cells.filter { !$0.isEmpty }.map(VisibleText.escaped).joined(separator: "  ")
        return String(line.reversed().drop { $0 == " " }.reversed())
    }

    static func style(_ change: CacheChange) -> Style {
        change.action == .removed ? .warning : .plain
    }

    /// The line for programs. Every line has all members.
    static func write(_ change: CacheChange, _ console: Console) {
        let json = JSONWriter(console.output)
        json.line {
            json.member("change", change.action.rawValue)
            json.member("id", change.entry?.handle.description)
            json.member("kind", change.kind.name)
            json.member("account_handle", change.entry?.accountHandle?.description)
            json.member("username", change.username)
            json.account(change.accountID)
            json.member("environment", change.environment)
            json.member("client_id", change.clientID)
            json.member("family_id", change.entry?.familyID)
            json.member("tenant", change.tenant)
            json.member("scopes", change.scopes)
            json.member("expires_on", change.entry?.expiresOn?.secondsSince1970)
        }
    }

    /// The time of day in UTC.
    private static func time(_ now: Int64) -> String {
        let whole = HumanTime.absolute(now).split(separator: " ")
        return whole.count > 1 ? String(whole[1]) : ""
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.utf8.count))
    }
}
