// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage
internal import UnifiedSchema

/// The refresh tokens that a query may redeem, in order: the client's own, with or without a family, then those that
/// its family shares; each in order of precedence, which is usually newest first.
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
        func precedes(_ one: Int, _ other: Int) -> Bool { rows[one].precedes(rows[other]) }
        return own.sorted(by: precedes) + shared.sorted(by: precedes)
    }

    /// The newest matching refresh token.
    func newestRefreshToken(_ now: Int64, where isWanted: (FactsRow) -> Bool) -> Int? {
        let rows = facts.rows
        var newest: Int?
        for index in rows.indices where isUsableRefreshToken(rows[index], now) && isWanted(rows[index]) {
            if let newest, !rows[index].precedes(rows[newest]) { continue }
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
