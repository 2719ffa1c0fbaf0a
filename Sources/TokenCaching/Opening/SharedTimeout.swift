package import RecordStorage

/// One timeout for all the calls of something that is done in several, such as a command.
package struct SharedTimeout: Sendable {
    package let time: WaitingTime

    /// - Parameter timeout: from now on.
    package init(_ timeout: Duration) {
        time = WaitingTime(timeout)
    }

    /// What is left.
    package var remaining: Duration { max(time.deadline.remaining, .zero) }

    /// Begins anew, because the user answered.
    package func restart() { time.restart() }
}
