import Synchronization

/// What holds for the secret memory of this process as a whole.
package enum SecretMemory {
    private static let sentinel = ForkSentinel()
    private static let unlockedMappings = Atomic<Int>(0)

    /// Whether all secret memory handed out so far is kept out of swap. False once the limit of locked memory
    /// (`RLIMIT_MEMLOCK`) was reached; everything still works then.
    package static var isLocked: Bool { unlockedMappings.load(ordering: .relaxed) == 0 }

    /// Throws ``SealingError/Code/forkedProcess`` in a child process after `fork`, where secret memory reads as zeros.
    ///
    /// One load from memory. Keys do this by themselves at every use.
    @inline(always)
    package static func checkNotForked() throws(SealingError) {
        if sentinel.isForkedChild { throw SealingError(.forkedProcess) }
    }

    /// Whether two pieces of it hold the same bytes. Takes a time that depends on the lengths only.
    package static func isEqual(_ left: RawSpan, _ right: RawSpan) -> Bool {
        Sodium.isEqual(left, right)
    }

    @inline(always)
    static var isForkedChild: Bool { sentinel.isForkedChild }

    static func note(isLocked: Bool) {
        if !isLocked { unlockedMappings.add(1, ordering: .relaxed) }
    }
}
