// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
internal import RecordStorage
internal import UnifiedSchema

/// ADAL's refresh tokens are a last resort: they are redeemed only if the unified cache has none for an account.
extension Engine {
    /// The answer from ADAL items; nil if there is none.
    ///
    /// ADAL items identify the user only by username, so those of the account's usernames are read. The unified cache
    /// takes precedence: an account that it records as signed out has no items here. `facts` contains the account's
    /// entries in the unified cache, and `reason` says why they are not enough.
    func legacyAnswer(
        insteadOf reason: InteractionReason,
        terms: PreparedQuery,
        facts: PartitionFacts,
        freshness: Freshness
    ) throws(StorageError) -> TokenAnswer? {
        // If nothing is known of the account, its username was already looked up.
        guard reason.isLackOfTokens, terms.subject != .application, !facts.isEmpty else { return nil }
        for partition in try legacyPartitions(terms, facts) {
            let items = partition == facts.partition ? facts : try self.facts(of: partition, freshness)
            guard items.hasLegacyTokens, !items.isSignedOut(client: clientBytes) else { continue }
            if items.isSignInStateDamaged {
                throw StorageError(.damaged, detail: "the sign-in state of the account cannot be read")
            }
            let families = ClientFamilies(group: try self.facts(of: groupPartition, freshness), client: clientBytes)
            let match = QueryMatch(terms, items, client: clientBytes)
            guard let row = match.newestLegacyToken(families) else { continue }
            return TokenAnswer(
                MatchResult(outcome: .renew(row: row, stillValid: nil)),
                at: freshness.revision,
                engine: self,
                terms: terms,
                facts: items,
                group: nil
            )
        }
        return nil
    }

    /// The partitions that may contain ADAL items of the account: those of the name in the query, and of every username
    /// of the account.
    private func legacyPartitions(
        _ terms: PreparedQuery,
        _ facts: PartitionFacts
    ) throws(StorageError) -> [PartitionTag] {
        var names: [Symbol] = []
        let rows = facts.rows
        for index in rows.indices where rows[index].kind.isAccount && !rows[index].username.isNone {
            if !names.contains(rows[index].username) { names.append(rows[index].username) }
        }
        var partitions: [PartitionTag] = []
        if names.isEmpty { partitions.append(try usernamePartition(terms)) }
        for name in names {
            let partition = try codec.partition(ofUsername: facts.span(name))
            partitions.append(partition)
        }
        return partitions
    }
}

extension PartitionFacts {
    /// Whether any row is an ADAL item.
    var hasLegacyTokens: Bool {
        for index in rows.indices where rows[index].kind.isLegacy { return true }
        return false
    }
}

extension TokenAnswer {
    /// Whether the answer depends on ADAL items, or would if there were any. They are stored separately from the
    /// account, so unchanged facts of the account prove nothing.
    var dependsOnLegacyItems: Bool {
        switch matchResult.outcome {
        case .valid: false
        case .renew(let row, _): facts.row(row).kind.isLegacy
        case .interaction(let reason): reason.isLackOfTokens
        }
    }
}

extension InteractionReason {
    /// Whether another refresh token would help.
    fileprivate var isLackOfTokens: Bool {
        self != .signedOut && self != .severalAccounts && self != .applicationTokenMissing
    }
}
