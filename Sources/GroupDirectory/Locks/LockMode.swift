/// How a lock is held.
package enum LockMode: Hashable, Sendable {
    /// Alone.
    case exclusive
    /// Together with others who only read.
    case shared
}
