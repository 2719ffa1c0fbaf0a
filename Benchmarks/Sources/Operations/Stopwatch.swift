// SPDX-License-Identifier: Apache-2.0

/// Measures time on a clock that nobody sets.
public struct Stopwatch {
    private let start = ContinuousClock.now

    /// Starts.
    public init() {}

    /// The time since it started.
    public var seconds: Double {
        let time = start.duration(to: .now).components
        return Double(time.seconds) + Double(time.attoseconds) * 1e-18
    }

    /// The median of `repetitions` runs of `body`, in nanoseconds per round.
    public static func nanoseconds(
        perRoundOf rounds: Int,
        repetitions: Int = 7,
        _ body: () throws -> Void
    ) rethrows -> Double {
        var times: [Double] = []
        for _ in 0..<repetitions {
            let watch = Stopwatch()
            try body()
            times.append(watch.seconds)
        }
        return times.median / Double(rounds) * 1e9
    }
}

extension [Double] {
    /// The value below which half of them lie.
    public var median: Double { isEmpty ? .nan : sorted()[count / 2] }

    /// The value below which a quarter lies: what the machine does when nothing else disturbs it.
    public var lowerQuartile: Double { isEmpty ? .nan : sorted()[count / 4] }

    /// The value below which 99 of 100 lie.
    public var p99: Double { isEmpty ? .nan : sorted()[Swift.min(count - 1, count * 99 / 100)] }
}
