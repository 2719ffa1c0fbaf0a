internal import RecordStorage

/// One timeout for all that is done in several calls, such as a command.
///
/// What one call waits for a lock or for the keyring is missing to the next. The time begins anew with each part of a long job that
/// is done, and whenever a person has answered: whatever hangs is noticed after one timeout, and work is not cut short.
public struct SharedTimeout: Sendable {
    let time: WaitingTime

    /// A timeout that begins now.
    public init(_ timeout: Duration) {
        time = WaitingTime(timeout)
    }

    /// What is left.
    public var remaining: Duration { max(time.deadline.remaining, .zero) }

    /// Begins anew, because a person has answered, or a part of the work is done.
    public func restart() { time.restart() }
}
