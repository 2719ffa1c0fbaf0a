package import RecordStorage

/// One timeout shared by several calls, such as those of a command.
package struct SharedTimeout: Sendable {
    package let time: WaitingTime

    /// - Parameter timeout: the time from now.
    package init(_ timeout: Duration) {
        time = WaitingTime(timeout)
    }

    /// The remaining time.
    package var remaining: Duration { max(time.deadline.remaining, .zero) }

    /// Restarts the time because the user answered.
    package func restart() { time.restart() }
}
