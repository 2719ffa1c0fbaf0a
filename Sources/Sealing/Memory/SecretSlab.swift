/// One mapping of secret memory, divided into granules of 64 bytes, or given to one large secret as a whole.
@safe final class SecretSlab: @unchecked Sendable {
    static let granuleByteCount = 64
    static let byteCount = GranuleMap.granuleCount * granuleByteCount
    /// Secrets beyond this get a mapping of their own.
    static let largestShared = byteCount / 2

    let mapping: SecretMapping
    /// The shard whose lock guards ``map``; `nil` for a slab with one large secret.
    unowned let shard: SecretShard?
    // SAFETY: only touched under the lock of `shard`.
    var map = GranuleMap()

    init(byteCount: Int = SecretSlab.byteCount, shard: SecretShard?) throws(SealingError) {
        mapping = try SecretMapping(byteCount: byteCount)
        self.shard = shard
    }

    var isEmpty: Bool { map.freeCount == GranuleMap.granuleCount }
}
