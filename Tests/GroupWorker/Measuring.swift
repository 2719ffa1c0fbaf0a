// SPDX-License-Identifier: Apache-2.0

import Glibc
import TokenCaching

/// What the check for changes costs in a lookup that is answered from memory.
struct Measuring {
    private static let lookups = 200_000
    private static let rounds = 201

    private let session: Session

    init(_ session: Session) {
        self.session = session
    }

    /// Prints the least that a lookup took with the check and without it, in turns: other programs on the machine only add
    /// to it.
    func measure() throws(TokenCacheError) {
        try session.save(0, account: 0)
        let (cache, query) = (session.cache, session.tokenQueries[0])
        var (whole, without) = (Int.max, Int.max)
        for _ in 0..<Self.rounds {
            var start = Self.processorTime
            for _ in 0..<Self.lookups {
                guard case .valid = try cache.token(for: query) else { giveUp("no hit") }
            }
            whole = min(whole, Self.processorTime - start)
            start = Self.processorTime
            for _ in 0..<Self.lookups {
                guard case .valid = cache.lastDecision(for: query) else { giveUp("no hit") }
            }
            without = min(without, Self.processorTime - start)
        }
        let check = text(whole - without)
        say("lookup \(text(whole)) ns, without the check for changes \(text(without)) ns, difference \(check) ns")
    }

    /// Nanoseconds per lookup, in hundredths.
    private func text(_ nanoseconds: Int) -> String {
        let hundredths = abs(nanoseconds) * 100 / Self.lookups
        let digits = hundredths % 100
        return "\(nanoseconds < 0 ? "-" : "")\(hundredths / 100).\(digits < 10 ? "0" : "")\(digits)"
    }

    /// Nanoseconds that this thread has had a processor.
    private static var processorTime: Int {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}
