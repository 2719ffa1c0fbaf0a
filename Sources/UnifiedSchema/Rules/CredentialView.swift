// SPDX-License-Identifier: Apache-2.0

/// A stored credential as the rules see it. Lookups represent it as a row of facts, changes represent it as fields:
/// each rule is stated once, for both.
package protocol CredentialView {
    /// Nil if it is not an entry.
    var entryKind: EntryKind? { get }
    /// Whether it names a family of clients.
    var namesFamily: Bool { get }
    var times: EntryTimes { get }
}

/// The times of a credential in seconds since 1970, nil if unknown. Public, because lookups in another module create
/// one for each refresh token that they compare.
public struct EntryTimes: Hashable, Sendable {
    /// When it was stored.
    public var cachedAt: Int64?
    /// When it was last changed.
    public var lastModified: Int64?
    /// When it expires.
    public var expiresOn: Int64?
    /// When it expires if its server cannot be reached.
    public var extendedExpiresOn: Int64?

    /// Creates the times that are known.
    @inlinable
    public init(
        cachedAt: Int64? = nil,
        lastModified: Int64? = nil,
        expiresOn: Int64? = nil,
        extendedExpiresOn: Int64? = nil
    ) {
        self.cachedAt = cachedAt
        self.lastModified = lastModified
        self.expiresOn = expiresOn
        self.extendedExpiresOn = extendedExpiresOn
    }
}

extension CredentialFields: CredentialView {
    package var entryKind: EntryKind? { kind }

    package var namesFamily: Bool { familyID != nil }

    package var times: EntryTimes {
        EntryTimes(
            cachedAt: cachedAt,
            lastModified: lastModificationTime,
            expiresOn: expiresOn,
            extendedExpiresOn: extendedExpiresOn
        )
    }
}
