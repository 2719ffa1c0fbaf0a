// SPDX-License-Identifier: Apache-2.0

import TokenCaching
import ToolInterface

/// One entry in `cachetool list`.
enum EntryRow {
    static let columns = [
        TableColumn("ID"), TableColumn("KIND", minimum: 12, rank: 3), .username("ACCOUNT"),
        .id("CLIENT", expendable: 2), .id("TENANT", expendable: 3), TableColumn("SCOPES", minimum: 10, expendable: 1),
        TableColumn("EXPIRES", .right),
    ]

    /// Sorted by displayed account, then by kind, so that related entries are adjacent; otherwise in the given order.
    static func sorted(_ entries: [EntrySummary]) -> [EntrySummary] {
        let names = entries.map { $0.username ?? $0.accountID?.text ?? "" }
        // Sorts indices, because moving an entry costs more than comparing two.
        let order = entries.indices.sorted { left, right in
            if names[left] != names[right] { return names[left] < names[right] }
            return areInOrder(entries[left], entries[right])
        }
        return order.map { entries[$0] }
    }

    /// Compares everything that is shown, so that the order does not depend on the group.
    private static func areInOrder(_ one: EntrySummary, _ other: EntrySummary) -> Bool {
        if one.kind != other.kind { return one.kind < other.kind }
        let texts = [one, other].map { entry in
            [
                entry.accountID?.text, entry.clientID, entry.tenant, entry.environment, entry.familyID, entry.tokenType,
                entry.section, entry.scopes.joined(separator: " "),
            ].map { $0 ?? "" }
        }
        if texts[0] != texts[1] { return texts[0].lexicographicallyPrecedes(texts[1]) }
        let times = [one, other].map { entry in
            [
                entry.expiresOn, entry.cachedAt, entry.lastModificationTime, entry.extendedExpiresOn, entry.refreshOn,
            ].map { $0?.secondsSince1970 ?? 0 } + [Int64(entry.byteCount)]
        }
        return times[0].lexicographicallyPrecedes(times[1])
    }

    /// The cells for human readers.
    static func cells(_ entry: EntrySummary, now: Int64) -> [TableCell] {
        [
            TableCell(entry.handle.short, .bold), TableCell(entry.kind.name),
            TableCell(account(entry)), TableCell(entry.clientID ?? entry.familyID.map { "family " + $0 } ?? ""),
            TableCell(entry.tenant ?? ""), TableCell(entry.scopes.inOneLine),
            .expiry(entry, now: Timestamp(secondsSince1970: now)),
        ]
    }

    /// The account's username, or else its handle. An application's own token has no account.
    static func account(_ entry: EntrySummary) -> String {
        if entry.isApplicationToken { return "(application)" }
        return entry.username ?? entry.accountHandle.map { "[" + $0.short + "]" } ?? ""
    }

    /// The members for programs. Every entry has all of them.
    static func write(_ entry: EntrySummary, now: Int64, _ json: JSONWriter) {
        json.member("id", entry.handle.description)
        json.member("kind", entry.kind.name)
        json.member("account_handle", entry.accountHandle?.description)
        json.member("username", entry.username)
        json.member("home_account_id", entry.accountID?.text)
        json.member("application_token", entry.isApplicationToken)
        json.member("environment", entry.environment)
        json.member("client_id", entry.clientID)
        json.member("family_id", entry.familyID)
        json.member("tenant", entry.tenant)
        json.member("scopes", entry.scopes)
        json.member("cached_at", entry.cachedAt?.secondsSince1970)
        json.member("expires_on", entry.expiresOn?.secondsSince1970)
        json.member("refresh_on", entry.refreshOn?.secondsSince1970)
        json.member("extended_expires_on", entry.extendedExpiresOn?.secondsSince1970)
        json.member("expired", entry.isExpired(at: Timestamp(secondsSince1970: now)))
        json.member("bytes", entry.byteCount)
    }
}
