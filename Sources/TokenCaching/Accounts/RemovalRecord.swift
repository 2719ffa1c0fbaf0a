// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
internal import RecordStorage

/// What was removed from a group on purpose, when, and by which application.
public struct RemovalRecord: Hashable, Sendable {
    /// How much was removed. Later versions may add scopes: a `switch` needs a `default`.
    public struct Scope: Hashable, Sendable {
        private let value: RemovalScope

        init(_ scope: RemovalScope) {
            value = scope
        }

        /// The entries of one application for one account.
        public static let signOut = Self(.signOut)

        /// All of one account.
        public static let account = Self(.account)

        /// The whole group.
        public static let group = Self(.group)
    }

    /// The scope; nil for one that this version does not know.
    public let scope: Scope?

    /// The application that removed it, folded; nil if a tool did.
    public let clientID: String?

    /// When it was removed.
    public let removedAt: Timestamp

    init(_ mark: Tombstone) {
        scope = mark.scope.map(Scope.init)
        clientID = mark.clientID.isEmpty ? nil : mark.clientID
        removedAt = Timestamp(secondsSince1970: mark.removedAt)
    }
}

extension RemovalRecord.Scope: CustomStringConvertible {
    /// The scope's name: stable across versions and suitable for programs.
    public var name: String {
        switch value {
        case .signOut: "signOut"
        case .account: "account"
        case .group: "group"
        }
    }

    /// The same as ``name``.
    public var description: String { name }
}
