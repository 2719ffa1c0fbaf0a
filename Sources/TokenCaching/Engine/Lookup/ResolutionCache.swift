// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import RecordStorage

/// The resolution of a name that is not a known account's id: a username, or an unknown id.
struct CachedResolution: Sendable {
    let subject: PreparedQuery.Subject
    let name: [UInt8]
    let resolution: Engine.Resolution
    /// The partitions that were read, in ascending order.
    let partitions: [PartitionTag]
    /// The tag under which the store was searched for them; nil if it was not searched.
    let searchTag: SearchTag?
    /// When they were read.
    var moment: UInt64
}

/// Caches the resolutions of names. Without this cache, such a lookup would hash the name with the group's key and read
/// the partitions each time.
struct ResolutionCache: Sendable {
    private var byHash: [UInt64: CachedResolution] = [:]
    /// There is no limit to how many names may be requested; beyond this many, all are dropped.
    static let limit = 4096

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
