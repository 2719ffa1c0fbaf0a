internal import ByteOperations
internal import RecordStorage

/// Where a name led that is no known account's id: a username, or an id of nobody.
struct CachedResolution: Sendable {
    let subject: PreparedQuery.Subject
    let name: [UInt8]
    let resolution: Engine.Resolution
    /// The partitions that were looked at, in ascending order.
    let partitions: [PartitionTag]
    /// What the store was searched for to find them; nil if it was not searched.
    let searchTag: SearchTag?
    /// When they were looked at.
    var moment: UInt64
}

/// Where names led. Without it such a lookup would hash the name with the group's key and read the partitions each time.
struct ResolutionCache: Sendable {
    private var byHash: [UInt64: CachedResolution] = [:]
    /// Anybody may ask for any number of names; beyond this many all are forgotten.
    static let limit = 4096

    var count: Int { byHash.count }

    subscript(subject: PreparedQuery.Subject, name: RawSpan, hash: UInt64) -> CachedResolution? {
        guard let known = byHash[hash], known.subject == subject, known.name.rawSpan.isEqual(to: name) else {
            return nil
        }
        return known
    }

    mutating func keep(_ resolution: CachedResolution, hash: UInt64) {
        if byHash.count >= ResolutionCache.limit, byHash[hash] == nil { byHash.removeAll(keepingCapacity: true) }
        byHash[hash] = resolution
    }

    mutating func removeAll() {
        if !byHash.isEmpty { byHash.removeAll() }
    }
}
