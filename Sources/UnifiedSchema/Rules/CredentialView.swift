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

extension CredentialFields: CredentialView {
    package var entryKind: EntryKind? { kind }

    package var namesFamily: Bool { familyID != nil }

    package var times: EntryTimes {
        EntryTimes(
            cachedAt: cachedAt,
            lastModifiedMicroseconds: lastModificationMicroseconds,
            expiresOn: expiresOn,
            extendedExpiresOn: extendedExpiresOn
        )
    }
}
