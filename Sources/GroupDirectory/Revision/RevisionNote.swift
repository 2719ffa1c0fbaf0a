/// What the writer of a store left in the shared page for those who come after it: a number with a hash of it.
///
/// Only the store has the key of the hash. Until it has compared it, the number may be anybody's.
package struct RevisionNote: Hashable, Sendable {
    package let number: UInt64
    package let hashFirst: UInt64
    package let hashSecond: UInt64

    package init(number: UInt64, hash: (UInt64, UInt64)) {
        self.number = number
        hashFirst = hash.0
        hashSecond = hash.1
    }
}
