// SPDX-License-Identifier: Apache-2.0

// SAFETY: the call fills a local value that lives until it returns.

internal import Glibc

/// The clock of a cache: the system's, or your own for tests and simulations.
///
/// ```swift
/// let frozen = WallClock { Timestamp(secondsSince1970: 1_700_000_000) }
/// ```
public struct WallClock: Sendable {
    /// Nil for the system's clock, which is read without a closure.
    let custom: (@Sendable () -> Timestamp)?

    /// The system's clock. Reading it takes about five nanoseconds and no system call; it is accurate to a few
    /// milliseconds.
    public static let system = WallClock(custom: nil)

    /// A clock that calls `now` to get the time.
    ///
    /// - Parameter now: called from any thread, on every lookup, so it should be fast.
    public init(now: @escaping @Sendable () -> Timestamp) {
        self.init(custom: now)
    }

    private init(custom: (@Sendable () -> Timestamp)?) {
        self.custom = custom
    }

    /// The current time.
    public func now() -> Timestamp {
        if let custom { return custom() }
        return Timestamp(secondsSince1970: ClockReading.system().seconds)
    }
}

/// One reading of the clock, to measure expiry and to pace checks.
struct ClockReading {
    /// Whole seconds since 1970 by the cache's clock.
    let seconds: Int64
    /// Nanoseconds of the system's clock, regardless of the cache's clock. May jump when the clock is set.
    let nanoseconds: Int64

    /// Both from one call, which does not enter the kernel.
    @inline(__always)
    static func system() -> ClockReading {
        var time = timespec()
        // The coarse clock is updated by the kernel at every tick: precise enough for seconds, at a fifth of the cost.
        _ = unsafe clock_gettime(CLOCK_REALTIME_COARSE, &time)
        let seconds = Int64(time.tv_sec)
        return ClockReading(seconds: seconds, nanoseconds: seconds &* 1_000_000_000 &+ Int64(time.tv_nsec))
    }

    /// A reading of `clock`.
    @inline(__always)
    static func now(_ clock: WallClock) -> ClockReading {
        let reading = system()
        guard let custom = clock.custom else { return reading }
        return ClockReading(seconds: custom().secondsSince1970, nanoseconds: reading.nanoseconds)
    }
}
