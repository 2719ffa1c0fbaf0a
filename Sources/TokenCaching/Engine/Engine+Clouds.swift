internal import GroupRecords
internal import RecordStorage
internal import Synchronization
internal import UnifiedSchema

extension Engine {
    /// Which hosts are one cloud, as of now.
    var clouds: CloudTable { cloudKnowledge.table }

    var cloudKnowledge: CloudKnowledge { knownClouds.withLock { $0 } }

    /// Takes in what discovery says, and stores it for the other processes of the group.
    ///
    /// - Throws: `malformedDocument` where it would join two clouds: then nothing is taken in. What the store throws: then this
    ///   engine knows it all the same.
    func learn(_ clouds: [Cloud]) throws(TokenCacheError) {
        try checkProcess()
        let now = clock.now().secondsSince1970
        let deadline = newDeadline()
        let stored: StoredClouds
        do throws(TokenCacheError) {
            _ = try freshen(ClockReading.now(clock), until: deadline)
            stored = try storing { () throws(StorageError) in try codec.storedClouds(in: store, until: deadline) }
        } catch {
            try takeIn(clouds, beside: [])
            throw error
        }
        try takeIn(clouds, beside: stored.clouds(at: now))
        if stored.isFresh(clouds, at: now) { return }
        try change(until: deadline) { (transaction) throws(TokenCacheError) in
            try storing { () throws(StorageError) in
                // Others may have learnt something meanwhile.
                let stored = try transaction.entries(of: groupPartition, where: \.isCloudMetadata).storedClouds
                try transaction.put(
                    stored.adding(clouds, at: now).encoded(),
                    kind: .cloudMetadata,
                    tag: try codec.cloudMetadataTag(),
                    in: groupPartition
                )
            }
        }
    }

    /// Takes in what discovery says, and what is stored of clouds.
    ///
    /// - Throws: `malformedDocument` where what discovery says would join two clouds: then nothing is taken in.
    private func takeIn(_ clouds: [Cloud], beside stored: [Cloud]) throws(TokenCacheError) {
        let known = self.clouds.learning(stored)
        guard !clouds.contains(where: { known.isJoined(by: $0) }) else {
            throw TokenCacheError(.malformedDocument, detail: "discovery data makes two clouds one")
        }
        takeIn(stored + clouds)
    }

    /// Takes in what is said of clouds. If it was news, everything that was worked out before is worked out anew.
    @discardableResult
    func takeIn(_ clouds: [Cloud]) -> Bool {
        let isNews = state.withLock { state in
            let isNews = knownClouds.withLock { known in
                let table = known.table.learning(clouds)
                guard table.version != known.table.version else { return false }
                known = CloudKnowledge(table)
                return true
            }
            // At once: facts that are kept are never of another table. Those that are being read just now are not kept.
            if isNews { state.note(.everything) }
            return isNews
        }
        if isNews { invalidateAll() }
        return isNews
    }

    /// Takes in what other processes stored, where that was not done yet: `group` are the facts of the group's partition. What was
    /// read of accounts before may be old then.
    func takeStoredClouds(_ group: PartitionFacts, _ freshness: Freshness) throws(TokenCacheError) {
        guard let sequence = group.cloudMetadataSequence, takenClouds.load(ordering: .acquiring) != sequence else {
            return
        }
        let stored = try storing { () throws(StorageError) in
            try codec.storedClouds(in: store, until: freshness.deadline)
        }
        takeIn(stored.clouds(at: clock.now().secondsSince1970))
        takenClouds.store(sequence, ordering: .releasing)
    }

    /// Takes in what other processes stored before something is saved for a host of no known cloud.
    func takeStoredClouds(for host: String) throws(TokenCacheError) {
        guard !clouds.isMicrosoft(UTF8Text(host)) else { return }
        let freshness = try freshen(ClockReading.now(clock), until: newDeadline())
        // What cannot be read now is not known now.
        guard freshness.staleness == nil else { return }
        try takeStoredClouds(try facts(of: groupPartition, freshness), freshness)
    }
}

extension PartitionFacts {
    /// Whether what others learnt of clouds could change what these facts say: an entry is of a host of no known cloud.
    var mayLearnClouds: Bool {
        let rows = rows
        for index in rows.indices where !rows[index].kind.isEngineRecord && !rows[index].flags.contains(.microsoft) {
            return true
        }
        return false
    }
}

extension PreparedQuery {
    /// Whether the query names a host of no known cloud.
    func namesUnknownHost(_ clouds: CloudKnowledge) -> Bool {
        guard let environment else { return false }
        return !clouds.hosts.contains(span(environment))
    }
}
