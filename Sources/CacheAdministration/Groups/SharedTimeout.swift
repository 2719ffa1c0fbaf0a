// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage

/// One timeout for several calls, such as those of one command.
///
/// Time that one call spends waiting for a lock or the keyring is not available to the next. The timeout restarts
/// whenever part of a long operation is done, and when you call ``restart()``: a hang is detected after one timeout,
/// and work is not cut short.
public struct SharedTimeout: Sendable {
    let time: WaitingTime

    /// Creates a timeout that starts now.
    public init(_ timeout: Duration) {
        time = WaitingTime(timeout)
    }

    /// The remaining time.
    public var remaining: Duration { max(time.deadline.remaining, .zero) }

    /// Restarts the timeout, for example after the user has answered a prompt.
    public func restart() { time.restart() }
}
