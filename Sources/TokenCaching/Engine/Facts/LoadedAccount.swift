// SAFETY: the address is only prefetched, never read through, and `facts` keeps the object alive.

/// The facts of an account, as a table holds them: with where they lie.
///
/// Of many accounts most lie in no cache of the processor. So the memory is asked for all of an account's facts at once,
/// instead of waiting for it at each step of a lookup: for the object, for where that points to, for each row and text.
struct LoadedAccount: Sendable {
    let facts: PartitionFacts
    private let contents: MemoryExtent

    /// A lookup reads no more of accounts of a usual size. Of larger ones the rest is read in order, which processors foresee.
    private static let prefetchLimit = 2048

    init(_ facts: PartitionFacts) {
        self.facts = facts
        contents = facts.extent
    }

    /// Asks the memory for what a lookup reads, without waiting for it.
    func prefetch() {
        let address = unsafe Unmanaged.passUnretained(facts).toOpaque()
        let object = unsafe MemoryExtent(address, byteCount: PartitionFacts.objectByteCount)
        object.prefetch(limit: Self.prefetchLimit)
        contents.prefetch(limit: Self.prefetchLimit)
    }
}
