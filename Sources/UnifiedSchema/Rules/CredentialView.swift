/// A stored credential, as the rules see it. A lookup holds it as a row of facts, a change as fields: each rule is
/// stated once, of both.
package protocol CredentialView {
    /// Nil for what is no entry.
    var entryKind: EntryKind? { get }
    /// Whether it names a family of clients.
    var namesFamily: Bool { get }
    var times: EntryTimes { get }
}

/// What a credential says of time: seconds since 1970, nil if it does not say. Public, as lookups in another module make one for
/// each refresh token that they compare.
public struct EntryTimes: Hashable, Sendable {
    /// When it was stored.
    public var cachedAt: Int64?
    /// When it was changed last.
    public var lastModified: Int64?
    /// When it ends.
    public var expiresOn: Int64?
    /// When it ends where its server cannot be reached.
    public var extendedExpiresOn: Int64?

    /// All of them, as far as they are said.
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
