// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
internal import RecordStorage
internal import Synchronization
internal import UnifiedSchema

extension Engine {
    /// The currently known clouds.
    var clouds: CloudTable { cloudKnowledge.table }

    var cloudKnowledge: CloudKnowledge { knownClouds.withLock { $0 } }

    /// Adds the result of instance discovery, and stores it for the other processes of the group.
    ///
    /// - Throws: `malformedDocument` if it would join two clouds, in which case nothing is added; errors of the store,
    ///   in which case only this engine knows the clouds.
    func learn(_ clouds: [Cloud]) throws(StorageError) {
        try checkProcess()
        let now = clock.now().secondsSince1970
        let deadline = newDeadline()
        let stored: StoredClouds
        do throws(StorageError) {
            _ = try freshen(ClockReading.now(clock), until: deadline)
            stored = try codec.storedClouds(in: store, until: deadline)
        } catch {
            try addClouds(clouds, beside: [])
            throw error
        }
        try addClouds(clouds, beside: stored.clouds(at: now))
        if stored.isFresh(clouds, at: now) { return }
        try change(until: deadline) { (transaction) throws(StorageError) in
            // Other processes may have learned clouds in the meantime.
            let stored = try transaction.entries(of: groupPartition, where: \.isCloudMetadata).storedClouds
            try transaction.put(
                stored.adding(clouds, at: now).encoded(),
                kind: .cloudMetadata,
                tag: try codec.cloudMetadataTag(),
                in: groupPartition
            )
        }
    }

    /// Adds the result of instance discovery, and the clouds that the group has stored.
    ///
    /// - Throws: `malformedDocument` if the discovery data would join two clouds, in which case nothing is added.
    private func addClouds(_ clouds: [Cloud], beside stored: [Cloud]) throws(StorageError) {
        let known = self.clouds.learning(stored)
        guard !clouds.contains(where: { known.isJoined(by: $0) }) else {
            throw StorageError(.malformedDocument, detail: "the discovery data merges two clouds")
        }
        addClouds(stored + clouds)
    }

    /// Adds clouds. If any are new, this invalidates everything computed before.
    @discardableResult
    func addClouds(_ clouds: [Cloud]) -> Bool {
        let isNews = state.withLock { state in
            let isNews = knownClouds.withLock { known in
                let table = known.table.learning(clouds)
                guard table.version != known.table.version else { return false }
                known = CloudKnowledge(table)
                return true
            }
            // Invalidate under the same lock, so that cached facts always belong to the current table. Facts that are
            // being read now are not cached.
            if isNews { state.note(.everything) }
            return isNews
        }
        if isNews { invalidateAll() }
        return isNews
    }

    /// Adds the clouds that other processes stored, unless that was already done. `group` contains the facts of the
    /// group's partition. Facts of accounts that were read before may be outdated afterwards.
    func addStoredClouds(_ group: PartitionFacts, _ freshness: Freshness) throws(StorageError) {
        guard let sequence = group.cloudMetadataSequence, addedClouds.load(ordering: .acquiring) != sequence else {
            return
        }
        let stored = try codec.storedClouds(in: store, until: freshness.deadline)
        addClouds(stored.clouds(at: clock.now().secondsSince1970))
        addedClouds.store(sequence, ordering: .releasing)
    }

    /// Adds the clouds that other processes stored, before saving for a host outside the known clouds.
    func addStoredClouds(for host: String, until deadline: Deadline) throws(StorageError) {
        guard !clouds.isMicrosoft(UTF8Text(host)) else { return }
        let freshness = try freshen(ClockReading.now(clock), until: deadline)
        // If the group cannot be read now, the host stays unknown for now.
        guard freshness.staleness == nil else { return }
        try addStoredClouds(try facts(of: groupPartition, freshness), freshness)
    }
}

extension PartitionFacts {
    /// Whether clouds learned by other processes could change these facts: an entry has a host outside the known
    /// clouds.
    var mayLearnClouds: Bool {
        let rows = rows
        for index in rows.indices where !rows[index].kind.isInternalRecord && !rows[index].flags.contains(.microsoft) {
            return true
        }
        return false
    }
}

extension PreparedQuery {
    /// Whether the query names a host outside the known clouds.
    func namesUnknownHost(_ clouds: CloudKnowledge) -> Bool {
        guard let environment else { return false }
        return !clouds.hosts.contains(span(environment))
    }
}
