internal import GroupDirectory

/// A file as it was when somebody looked, and whether that tells it from any later state.
///
/// Transactions are written into room that is there already, so the length of the file says nothing. The time of its last
/// change does, but a file system takes that from a clock that ticks some hundred times a second: a write in the same tick
/// leaves no trace.
struct SeenFile: Hashable, Sendable {
    let identity: FileIdentity
    /// Whether every later write changes the identity. Otherwise only the content tells.
    let isSettled: Bool

    /// Longer than a tick of any file system that keeps permissions, in nanoseconds.
    private static let tick: Int64 = 100_000_000

    /// What somebody sees who looked a moment ago.
    init(_ identity: FileIdentity) {
        self.identity = identity
        let now = Syscalls.coarseTime()
        let age = (now.seconds - identity.changeSeconds) * 1_000_000_000 + now.nanoseconds - identity.changeNanoseconds
        isSettled = age > Self.tick
    }
}
