// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage
internal import UnifiedSchema

/// The refresh tokens that a query may redeem, in order: the client's own, with or without a family, then those that
/// its family shares; each in order of precedence, which is usually newest first, those isolated as the query asks before
/// plain ones.
extension QueryMatch {
    /// All refresh tokens, in order.
    func refreshTokens(_ families: ClientFamilies, now: Int64) -> [Int] {
        let rows = facts.rows
        var own: [Int] = []
        var shared: [Int] = []
        for index in rows.indices where isUsableRefreshToken(rows[index], now) {
            if rows[index].client == client {
                own.append(index)
            } else if isShared(rows[index], families) {
                shared.append(index)
            }
        }
        func isBefore(_ one: Int, _ other: Int) -> Bool { rows[one].isRedeemed(before: rows[other]) }
        return own.sorted(by: isBefore) + shared.sorted(by: isBefore)
    }

    /// The newest matching refresh token.
    func newestRefreshToken(_ now: Int64, where isWanted: (FactsRow) -> Bool) -> Int? {
        let rows = facts.rows
        var newest: Int?
        for index in rows.indices where isUsableRefreshToken(rows[index], now) && isWanted(rows[index]) {
            if let newest, !rows[index].isRedeemed(before: rows[newest]) { continue }
            newest = index
        }
        return newest
    }

    /// When the next refresh token of the account expires. Few have an expiry, because only some libraries record it.
    func nextRefreshTokenEnd(_ now: Int64) -> Int64? {
        let rows = facts.rows
        var next: Int64?
        for index in rows.indices where rows[index].kind.isPlainRefreshToken {
            guard let end = rows[index].times.refreshTokenEnd, end > now else { continue }
            next = min(next ?? .max, end)
        }
        return next
    }

    /// Whether the client may redeem the token as a member of its family.
    func isShared(_ row: FactsRow, _ families: ClientFamilies) -> Bool {
        row.isFamilyToken && families.isMember(of: facts.span(row.family), cloud: facts.span(row.cloud))
    }
}

extension FactsRow {
    /// Which of two refresh tokens that serve a query is redeemed first: the one that is isolated as the query asks,
    /// because a plain one serves every request, else the one that takes precedence.
    func isRedeemed(before other: FactsRow) -> Bool {
        isIsolated == other.isIsolated ? precedes(other) : isIsolated
    }
}
