// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage
internal import UnifiedSchema

extension [FactsRow] {
    /// Ranks the rows by their precedence. Done once when a partition is read, so that lookups only compare numbers.
    mutating func rank() {
        guard count > 1 else { return }
        let siblings = SiblingAges(self)
        var order: [(precedence: EntryPrecedence, index: Int)] = []
        order.reserveCapacity(count)
        for index in indices {
            let row = self[index]
            // Not by the generic initializer, which this module cannot specialize.
            var precedence = EntryPrecedence(
                age: EntryAge(row.times),
                naming: row.flags.contains(.schemeSection)
                    ? .named
                    : EntryPrecedence.Naming(
                        row.entryKind,
                        namesFamily: row.namesFamily,
                        namesUser: !row.username.isNone
                    ),
                sequence: row.sequence,
                position: row.position
            )
            if let siblings { precedence.siblingAge = siblings[row] }
            order.append((precedence, index))
        }
        order.sort { $0.precedence < $1.precedence }
        for (rank, entry) in order.enumerated() { self[entry.index].rank = UInt32(truncatingIfNeeded: rank) }
    }
}

/// The times of the newest access tokens of each client under each host.
private struct SiblingAges {
    private struct Place: Hashable {
        /// None for any client.
        let client: Symbol
        let environment: Symbol
    }

    private var newest: [Place: EntryAge] = [:]

    /// Nil if they tell no rows apart, as for nearly all accounts: entries without times are usually one client's, under
    /// one host.
    init?(_ rows: [FactsRow]) {
        let undated = rows.lazy.filter(\.hasSiblingAge)
        guard let first = undated.first else { return nil }
        // Account entries name no client.
        let client = undated.first { !$0.client.isNone }?.client
        let areApart = undated.contains { row in
            row.environment != first.environment || !row.client.isNone && row.client != client
        }
        guard areApart else { return nil }
        for row in rows where row.kind.isAccessToken {
            let age = EntryAge(row.times)
            for client in [row.client, .none] {
                let place = Place(client: client, environment: row.environment)
                newest[place] = Swift.max(newest[place] ?? age, age)
            }
        }
    }

    subscript(row: FactsRow) -> EntryAge {
        guard row.hasSiblingAge else { return .unknown }
        return newest[Place(client: row.client, environment: row.environment)] ?? .unknown
    }
}

extension FactsRow {
    /// Whether the access tokens beside the entry are the only evidence of its age. Account entries name no client.
    fileprivate var hasSiblingAge: Bool {
        guard cachedAt == FactsRow.missing, lastModified == FactsRow.missing else { return false }
        return kind.isPlainRefreshToken || kind.isIDToken || kind.isAccount
    }
}
