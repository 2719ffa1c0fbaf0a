// SAFETY: the call fills a local value that lives until it returns.

internal import Glibc

/// Tells a cache what time it is: the system's clock, or one of your own for tests and simulations.
///
/// ```swift
/// let frozen = WallClock { Timestamp(secondsSince1970: 1_700_000_000) }
/// ```
public struct WallClock: Sendable {
    /// Nil for the system's clock, which is read without a closure.
    let custom: (@Sendable () -> Timestamp)?

    /// The clock of the system. Reading it costs about five nanoseconds and no system call; it is exact to a few
    /// milliseconds.
    public static let system = WallClock(custom: nil)

    /// A clock that asks `now` whenever the time matters.
    ///
    /// - Parameter now: called from any thread, on every lookup: keep it short.
    public init(now: @escaping @Sendable () -> Timestamp) {
        self.init(custom: now)
    }

    private init(custom: (@Sendable () -> Timestamp)?) {
        self.custom = custom
    }

    /// The time now.
    public func now() -> Timestamp {
        if let custom { return custom() }
        return Timestamp(secondsSince1970: ClockReading.system().seconds)
    }
}

/// One reading of the clock: what expiry is measured by, and what paces checks.
struct ClockReading {
    /// Whole seconds since 1970 by the cache's clock.
    let seconds: Int64
    /// Nanoseconds of the system's clock, whatever the cache's clock says. May jump when the clock is set.
    let nanoseconds: Int64

    /// Both from one call, which does not enter the kernel.
    @inline(__always)
    static func system() -> ClockReading {
        var time = timespec()
        // The clock that the kernel keeps up to date at every tick: all that seconds need, at a fifth of the cost.
        _ = unsafe clock_gettime(CLOCK_REALTIME_COARSE, &time)
        let seconds = Int64(time.tv_sec)
        return ClockReading(seconds: seconds, nanoseconds: seconds &* 1_000_000_000 &+ Int64(time.tv_nsec))
    }

    /// The reading that a cache with `clock` goes by.
    @inline(__always)
    static func now(_ clock: WallClock) -> ClockReading {
        let reading = system()
        guard let custom = clock.custom else { return reading }
        return ClockReading(seconds: custom().secondsSince1970, nanoseconds: reading.nanoseconds)
    }
}
