// SPDX-License-Identifier: Apache-2.0

/// Orders entries that are equally good for a purpose: the greatest is chosen.
///
/// The evidence of the entries decides first, then the order in which they were written: in a document as in time, the
/// later one prevails. The result never depends on the group, so a document means the same in every group.
package struct EntryPrecedence: Hashable, Sendable {
    /// The age according to the entry's own members.
    package var age: EntryAge
    /// The time of the newest access token beside it: of the same account and client, under the same host.
    package var siblingAge: EntryAge = .unknown
    /// What the entry names.
    package var naming: Naming
    /// The transaction that wrote it.
    package let sequence: UInt64
    /// Its place among the entries of that transaction.
    package let position: UInt32

    package init(age: EntryAge, naming: Naming, sequence: UInt64, position: UInt32) {
        self.age = age
        self.naming = naming
        self.sequence = sequence
        self.position = position
    }

    package init(_ view: some CredentialView, namesUser: Bool, sequence: UInt64, position: UInt32) {
        age = EntryAge(view.times)
        naming = Naming(view.entryKind, namesFamily: view.namesFamily, namesUser: namesUser)
        self.sequence = sequence
        self.position = position
    }

    /// Whether an entry names what entries of its kind may name.
    package enum Naming: UInt8, Sendable {
        /// A family's refresh token that names no family, app metadata without a family, an account without a username.
        case nothing
        /// A family, or a user; an access token whose section names a scheme. That section comes later in an export,
        /// whenever the token was written, so it comes before the order of writing here.
        case named
        /// A refresh token of one client alone: a client's own token precedes the one that it shares with its family.
        case ownToken

        package init(_ kind: EntryKind?, namesFamily: Bool, namesUser: Bool) {
            switch kind {
            case let kind? where kind.isPlainRefreshToken && !ClientFamily.sharesToken(kind, namesFamily: namesFamily):
                self = .ownToken
            case .refreshToken?, .familyRefreshToken?, .appMetadata?: self = namesFamily ? .named : .nothing
            case .account?: self = namesUser ? .named : .nothing
            default: self = .nothing
            }
        }
    }
}

extension EntryPrecedence: Comparable {
    package static func < (left: EntryPrecedence, right: EntryPrecedence) -> Bool {
        if left.age != right.age { return left.age < right.age }
        if left.siblingAge != right.siblingAge { return left.siblingAge < right.siblingAge }
        if left.naming != right.naming { return left.naming.rawValue < right.naming.rawValue }
        return (left.sequence, left.position) < (right.sequence, right.position)
    }
}
