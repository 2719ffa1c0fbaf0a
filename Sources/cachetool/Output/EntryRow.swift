// SPDX-License-Identifier: Apache-2.0

import TokenCaching
import ToolInterface

/// One entry in `cachetool list`.
enum EntryRow {
    static let columns = [
        TableColumn("ID"), TableColumn("KIND", minimum: 12, rank: 3), .username("ACCOUNT"),
        .id("CLIENT", isOptional: true), .id("TENANT", isOptional: true), TableColumn("SCOPES", minimum: 7),
        TableColumn("EXPIRES", .right),
    ]

    /// Sorted by username or account id, then by kind, so that related entries are adjacent, then by everything else that is
    /// shown: the order does not depend on the group.
    static func sorted(_ entries: [EntrySummary]) -> [EntrySummary] {
        let keys = entries.map(SortKey.init)
        // Sorts indices, because moving an entry costs more than comparing two.
        return entries.indices.sorted { keys[$0] < keys[$1] }.map { entries[$0] }
    }

    private struct SortKey: Comparable {
        let name: String
        let kind: CachedEntryKind
        let texts: [String]
        let numbers: [Int64]

        init(_ entry: EntrySummary) {
            name = entry.username ?? entry.accountID?.text ?? ""
            kind = entry.kind
            texts = [
                entry.accountID?.text, entry.clientID, entry.tenant, entry.environment, entry.familyID, entry.tokenType,
                entry.section, entry.scopes.joined(separator: " "),
            ].map { $0 ?? "" }
            let times = [
                entry.expiresOn, entry.cachedAt, entry.lastModificationTime, entry.extendedExpiresOn, entry.refreshOn,
            ]
            numbers = times.map { $0?.secondsSince1970 ?? 0 } + [Int64(entry.byteCount)]
        }

        static func < (one: SortKey, other: SortKey) -> Bool {
            if one.name != other.name { return one.name < other.name }
            if one.kind != other.kind { return one.kind < other.kind }
            if one.texts != other.texts { return one.texts.lexicographicallyPrecedes(other.texts) }
            return one.numbers.lexicographicallyPrecedes(other.numbers)
        }
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
        json.account(entry.accountID)
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
