/// How much a transaction takes away at a person's wish. Kept in records by its number.
package enum RemovalScope: UInt8, Sendable, CaseIterable {
    /// Some entries, as a rule what one client had of one account. What killed writers left behind goes with them.
    case signOut = 1
    /// All that anybody had of one account. What was set aside as damaged goes too: it may hold something of it.
    case account = 2
    /// The whole group.
    case group = 3
}

extension RemovalScope: Comparable {
    package static func < (left: RemovalScope, right: RemovalScope) -> Bool {
        left.rawValue < right.rawValue
    }
}
