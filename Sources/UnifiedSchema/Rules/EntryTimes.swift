// SPDX-License-Identifier: Apache-2.0

/// The times of a credential in seconds since 1970, except one in microseconds; nil if unknown. Public, because lookups in
/// another module create one for each refresh token that they compare.
public struct EntryTimes: Hashable, Sendable {
    /// When it was stored.
    public var cachedAt: Int64?
    /// When it was last changed, in microseconds.
    public var lastModifiedMicroseconds: Int64?
    /// When it expires.
    public var expiresOn: Int64?
    /// When it expires if its server cannot be reached.
    public var extendedExpiresOn: Int64?

    /// Creates the times that are known.
    @inlinable
    public init(
        cachedAt: Int64? = nil,
        lastModifiedMicroseconds: Int64? = nil,
        expiresOn: Int64? = nil,
        extendedExpiresOn: Int64? = nil
    ) {
        self.cachedAt = cachedAt
        self.lastModifiedMicroseconds = lastModifiedMicroseconds
        self.expiresOn = expiresOn
        self.extendedExpiresOn = extendedExpiresOn
    }
}

/// Whether an entry has expired. No margin applies: only a token that is handed out must outlive the request it is for.
extension EntryTimes {
    /// Whether an entry has expired; nil if its expiry is unknown.
    package func hasEnded(_ now: Int64) -> Bool? { expiresOn.map { $0 <= now } }

    /// Whether an access token is useless from now on, even while its server cannot be reached. A token of unknown
    /// expiry is retained.
    package func hasEndedForGood(_ now: Int64) -> Bool {
        guard let expiresOn else { return false }
        return max(expiresOn, extendedExpiresOn ?? expiresOn) <= now
    }

    /// When a refresh token expires, as recorded by a library. A missing time and zero mean that it is unknown.
    @inlinable public var refreshTokenEnd: Int64? { expiresOn.flatMap { $0 > 0 ? $0 : nil } }

    /// Whether a refresh token has expired, if its expiry was recorded.
    @inlinable
    public func hasRefreshTokenEnded(_ now: Int64) -> Bool { refreshTokenEnd.map { $0 <= now } ?? false }
}
