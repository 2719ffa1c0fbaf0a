// SPDX-License-Identifier: Apache-2.0

/// The time by which a call returns, on a monotonic clock.
package struct Deadline: Hashable, Sendable {
    /// Since the epoch of the clock. Not an instant, whose layout is known only at run time: every copy would take calls.
    package let time: Duration

    /// The deadline `duration` from now.
    package static func after(_ duration: Duration) -> Deadline {
        Deadline(time: now + duration)
    }

    /// The time left; negative once the deadline has passed.
    package var remaining: Duration { time - Self.now }

    private static var now: Duration {
        let clock = SuspendingClock()
        return clock.systemEpoch.duration(to: clock.now)
    }

    package var hasPassed: Bool { remaining <= .zero }
}

extension Deadline: Comparable {
    package static func < (left: Deadline, right: Deadline) -> Bool {
        left.time < right.time
    }
}

/// The deadlines for work on many items.
///
/// A sign-in changes a few items and ends by the deadline of the call. An import of hundreds of accounts changes as
/// many keyring items, and some services rewrite their whole file for each. So each item after the first eight gets the
/// full time again, which detects a hanging service promptly but lets a working one continue.
package struct PerItemDeadlines: Sendable {
    /// The number of items that share the call's deadline.
    package static let usualItemCount = 8

    private let end: Deadline
    private let allowance: Duration

    /// - Parameter deadline: the deadline of the call. Each later item gets the time left now, at least one second.
    package init(until deadline: Deadline) {
        end = deadline
        allowance = max(deadline.remaining, .seconds(1))
    }

    /// The deadline of item number `index`, if work on it starts now.
    package func deadline(ofItem index: Int) -> Deadline {
        index < Self.usualItemCount ? end : max(end, .after(allowance))
    }
}
