/// When an access token may be handed out: seconds since 1970, from (included) until (left out).
struct TokenWindow: Sendable {
    let from: Int64
    let until: Int64

    /// The longest that a token counts as expired before it is.
    static let largestBuffer: Int64 = 300

    /// The window of a token.
    ///
    /// It ends some time before the token does: the smaller of 300 s and a fifth of its lifetime, unless the query says
    /// otherwise. It begins as much before the token was cached: a token from further in the future was cached under a
    /// clock that has gone back since, so nothing can be told about its end. A token without an end is never in its window: it has expired.
    init(_ row: FactsRow, buffer wanted: Int64?) {
        guard row.expiresOn != FactsRow.missing else {
            let buffer = max(0, wanted ?? TokenWindow.largestBuffer)
            from = Timestamp(row.cachedAt)?.advanced(bySeconds: -buffer).secondsSince1970 ?? .min
            until = .min
            return
        }
        let expiresOn = Timestamp(secondsSince1970: row.expiresOn)
        guard row.cachedAt != FactsRow.missing else {
            from = .min
            until = expiresOn.advanced(bySeconds: -max(0, wanted ?? TokenWindow.largestBuffer)).secondsSince1970
            return
        }
        let cachedAt = Timestamp(secondsSince1970: row.cachedAt)
        let lifetime = max(0, cachedAt.seconds(to: expiresOn))
        let buffer = max(0, wanted ?? min(TokenWindow.largestBuffer, lifetime / 5))
        from = cachedAt.advanced(bySeconds: -buffer).secondsSince1970
        until = expiresOn.advanced(bySeconds: -buffer).secondsSince1970
    }

    func contains(_ now: Int64) -> Bool { from <= now && now < until }
}
