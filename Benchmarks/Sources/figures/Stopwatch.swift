/// Measures time on a clock that nobody sets.
struct Stopwatch {
    private let start = ContinuousClock.now

    var seconds: Double {
        let time = start.duration(to: .now).components
        return Double(time.seconds) + Double(time.attoseconds) * 1e-18
    }

    /// The median of `repetitions` runs of `body`, in nanoseconds per round.
    static func nanoseconds(perRoundOf rounds: Int, repetitions: Int = 7, _ body: () throws -> Void) rethrows -> Double
    {
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
    var median: Double { isEmpty ? .nan : sorted()[count / 2] }

    /// The value below which 99 of 100 lie.
    var p99: Double { isEmpty ? .nan : sorted()[Swift.min(count - 1, count * 99 / 100)] }
}
