// SPDX-License-Identifier: Apache-2.0

// SAFETY: the address is only prefetched, never read through, and `facts` keeps the object alive.

/// The facts of an account in a table, with their location in memory.
///
/// With many accounts, most are not in a cache of the processor. So all of an account's facts are prefetched at once,
/// instead of waiting for memory at each step of a lookup: for the object, for what it points to, for each row and
/// text.
struct LoadedAccount: Sendable {
    let facts: PartitionFacts
    private let contents: MemoryExtent

    /// Lookups read no more than this of accounts of usual size. The rest of larger ones is read sequentially, which
    /// processors predict.
    private static let prefetchLimit = 2048

    init(_ facts: PartitionFacts) {
        self.facts = facts
        contents = facts.extent
    }

    /// Prefetches the cache lines that a lookup touches.
    func prefetch() {
        let address = unsafe Unmanaged.passUnretained(facts).toOpaque()
        let object = unsafe MemoryExtent(address, byteCount: PartitionFacts.objectByteCount)
        object.prefetch(limit: Self.prefetchLimit)
        contents.prefetch(limit: Self.prefetchLimit)
    }
}
