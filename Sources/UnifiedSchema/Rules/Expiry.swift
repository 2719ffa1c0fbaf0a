/// What has ended. None of this leaves a margin: only what is handed out has to outlive the request that it is for.
extension EntryTimes {
    /// Whether an entry has expired; nil if it does not say when it does.
    package func hasEnded(_ now: Int64) -> Bool? { expiresOn.map { $0 <= now } }

    /// Whether an access token is of no use to anybody any more, not even while its server cannot be reached. One that
    /// does not say when it ends is kept.
    package func hasEndedForGood(_ now: Int64) -> Bool {
        guard let expiresOn else { return false }
        return max(expiresOn, extendedExpiresOn ?? expiresOn) <= now
    }

    /// When a refresh token ends, by what a library wrote down of it. No time and zero say nothing.
    @inlinable public var refreshTokenEnd: Int64? { expiresOn.flatMap { $0 > 0 ? $0 : nil } }

    /// Whether a refresh token has ended, where its end was written down.
    @inlinable
    public func hasRefreshTokenEnded(_ now: Int64) -> Bool { refreshTokenEnd.map { $0 <= now } ?? false }
}
