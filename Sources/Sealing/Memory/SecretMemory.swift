import Synchronization

/// What holds for the secret memory of this process as a whole.
package enum SecretMemory {
    private static let sentinel = ForkSentinel()
    private static let unlockedMappings = Atomic<Int>(0)

    /// Whether all secret memory handed out so far is kept out of swap. False once the limit of locked memory
    /// (`RLIMIT_MEMLOCK`) was reached; everything still works then.
    package static var isLocked: Bool { unlockedMappings.load(ordering: .relaxed) == 0 }

    /// Tells this process from those that it was forked from; never 0.
    @inline(always)
    package static var generation: UInt64 { sentinel.generation }

    /// Whether what was made in `generation` was made by this process, and not by one that it was forked from, whose secret
    /// memory reads as zeros here. One load from memory.
    @inline(always)
    package static func isCurrent(_ generation: UInt64) -> Bool { sentinel.isCurrent(generation) }

    /// Whether two pieces of it hold the same bytes. Takes a time that depends on the lengths only.
    package static func isEqual(_ left: RawSpan, _ right: RawSpan) -> Bool {
        Sodium.isEqual(left, right)
    }

    static func note(isLocked: Bool) {
        if !isLocked { unlockedMappings.add(1, ordering: .relaxed) }
    }
}
