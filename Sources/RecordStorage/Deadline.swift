// SPDX-License-Identifier: Apache-2.0

/// The time by which a call returns, on a monotonic clock.
package struct Deadline: Hashable, Sendable {
    package let instant: SuspendingClock.Instant

    /// The deadline `duration` from now.
    package static func after(_ duration: Duration) -> Deadline {
        Deadline(instant: SuspendingClock().now.advanced(by: duration))
    }

    /// The time left; negative once the deadline has passed.
    package var remaining: Duration {
        SuspendingClock().now.duration(to: instant)
    }

    package var hasPassed: Bool { remaining <= .zero }
}

extension Deadline: Comparable {
    package static func < (left: Deadline, right: Deadline) -> Bool {
        left.instant < right.instant
    }
}
