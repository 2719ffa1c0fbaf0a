// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// A word in memory, usually shared between processes, that changes whenever a store changes.
///
/// A lookup checks freshness with a single acquiring load. Compare values only for equality, because they have no
/// order.
///
/// Public, although apps never see this module, because the compiler does not inline package declarations into other
/// modules, and a call in every lookup would cost more than the load.
@frozen @safe public struct RevisionWord: @unchecked Sendable {
    // SAFETY: the owner (a store) keeps the memory mapped as long as it lives, and all access is atomic.
    @usableFromInline let address: UnsafePointer<Atomic<UInt64>>

    /// - Parameter address: memory that stays mapped as long as the store that provides this word.
    @unsafe package init(unsafeAddress address: UnsafePointer<Atomic<UInt64>>) {
        unsafe self.address = address
    }

    /// The current value. Inlined into lookups of other modules.
    @inlinable @inline(__always)
    public func load() -> UInt64 {
        unsafe address.pointee.load(ordering: .acquiring)
    }
}
