// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Properties of this process's secret memory as a whole.
package enum SecretMemory {
    private static let sentinel = ForkSentinel()
    private static let unlockedMappings = Atomic<Int>(0)

    /// Whether all secret memory allocated so far is locked, that is, never swapped. False once the limit of locked
    /// memory (`RLIMIT_MEMLOCK`) was reached, after which allocation still works.
    package static var isLocked: Bool { unlockedMappings.load(ordering: .relaxed) == 0 }

    /// Distinguishes this process from those that it was forked from; never 0.
    @inline(always)
    package static var generation: UInt64 { sentinel.generation }

    /// Whether this process created the values of `generation`, rather than one that it was forked from, whose secret
    /// memory reads as zeros here. Costs one load.
    @inline(always)
    package static func isCurrent(_ generation: UInt64) -> Bool { sentinel.isCurrent(generation) }

    /// Whether two spans of secret memory contain the same bytes, compared in time that depends only on the lengths.
    package static func isEqual(_ left: RawSpan, _ right: RawSpan) -> Bool {
        Sodium.isEqual(left, right)
    }

    static func note(isLocked: Bool) {
        if !isLocked { unlockedMappings.add(1, ordering: .relaxed) }
    }
}
