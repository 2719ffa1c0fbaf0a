public import Synchronization

/// A word in memory, as a rule shared between processes, that changes whenever a store changes.
///
/// One acquiring load is all that a lookup spends on freshness. Compare for being unequal: the word may wrap, and a
/// page made anew starts elsewhere.
///
/// Public, although no client sees this module: of package declarations the compiler inlines none into other modules, and
/// a call in every lookup would cost more than the load.
@frozen @safe public struct RevisionWord: @unchecked Sendable {
    // SAFETY: the owner (a store) keeps the memory mapped as long as it lives, and all access is atomic.
    @usableFromInline let address: UnsafePointer<Atomic<UInt64>>

    /// - Parameter address: memory that stays mapped as long as the store that hands this word out.
    @unsafe package init(unsafeAddress address: UnsafePointer<Atomic<UInt64>>) {
        unsafe self.address = address
    }

    /// The value now. Inlined into lookups of other modules.
    @inlinable @inline(__always)
    public func load() -> UInt64 {
        unsafe address.pointee.load(ordering: .acquiring)
    }
}
