// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupDirectory
package import RecordStorage
package import Sealing
internal import Synchronization

/// Changes the keys in steps: create a key item with both the old and the new keys, reseal each partition separately,
/// then replace the key items with one that contains only the new keys. The next process that opens the group for
/// writing resumes an interrupted change.
extension SecretServiceStore {
    /// A step of a change of keys.
    package enum RekeyStep: Hashable, Sendable {
        case bothKeysSaved, listWritten, partitionMoved, anchorMoved, newKeysSaved, oldKeysRemoved
    }

    /// Receives the bytes resealed, the total and the number of records; throws to stop the change.
    package typealias RekeyMeter =
        (_ completed: Int, _ total: Int, _ recordCount: Int) throws(StorageError) -> Void

    /// Replaces the keys and reseals every record, holding the writer's lock throughout.
    ///
    /// Completes an earlier unfinished change first. If this change is interrupted, the group stays readable and
    /// writable, and the next process that opens it for writing resumes the change.
    ///
    /// - Parameters:
    ///   - deadline: for the lock and the work before the first partition; restarts for each partition.
    ///   - onStep: for tests: called at each step; returns an error to stop the change there.
    ///   - meter: called before any change is made, and after each partition.
    ///   - newKeys: returns the keys of the next epoch, given the current ones.
    /// - Throws: ``StorageError/Code/damaged`` if an item does not verify or is missing, because its records would be
    ///   lost (no change is then made), ``StorageError/Code/foreign`` if the new keys do not follow the old ones, and
    ///   errors of the keyring.
    package func replaceKeys(
        until deadline: Deadline,
        onStep: (RekeyStep) -> StorageError? = { _ in nil },
        meter: RekeyMeter = { (_, _, _) throws(StorageError) in },
        _ newKeys: (GroupKeys) throws(StorageError) -> GroupKeys
    ) throws(StorageError) {
        if let readOnlyReason { throw readOnlyReason }
        try items.run(until: deadline) { calls throws(SecretServiceError) in try calls.unlock() }
        let perItemDeadlines = max(deadline.remaining, .seconds(1))
        try underLock(until: deadline) { () throws(StorageError) in
            try directory.confirm(.keyring)
            if try !lookUpKeys(until: deadline).isFinal {
                try moveToNewKeys(until: deadline, perItemDeadlines: perItemDeadlines, onStep, meter)
            }
            let old = chain.newest.group
            let new = try newKeys(old)
            guard new.uuid == old.uuid, new.epoch > old.epoch else {
                throw StorageError(.foreign, detail: "the new keys are not those of the next epoch")
            }
            let list = try following(until: deadline) { () throws(StorageError) in
                try items.scan(chain, until: deadline)
            }
            guard !list.rows.values.contains(.unreadable) else { throw Self.isDamaged }
            let known = try withCore { $0.list?.rows ?? [:] }
            guard known.keys.allSatisfy({ list.rows[$0] != nil }) else { throw Self.isIncomplete }
            try checkLocations(of: Array(list.rows.keys), perItemDeadlines: perItemDeadlines)
            try meter(0, Self.byteCount(of: list), 0)
            try items.makeKeyItem(for: [old, new], until: deadline)
            try Self.reach(.bothKeysSaved, onStep)
            try lookUpKeys(until: deadline)
            try moveToNewKeys(until: deadline, perItemDeadlines: perItemDeadlines, onStep, meter)
        }
    }

    private static var isDamaged: StorageError {
        StorageError(
            .damaged,
            detail: "an item with records of the group does not verify",
            advice: "Run cachetool repair first"
        )
    }

    private static var isIncomplete: StorageError {
        StorageError(
            .damaged,
            detail: "an item with records of the group is missing",
            advice: "Run cachetool repair first"
        )
    }

    /// Checks that each partition is stored under its own attributes and is no older than the list says. Otherwise the
    /// change of keys would stop half-way, or resealing an outdated item would make it look valid.
    private func checkLocations(of partitions: [PartitionTag], perItemDeadlines: Duration) throws(StorageError) {
        let known = try withCore { $0.list?.rows ?? [:] }
        for tag in partitions {
            guard let found = try findPartition(tag, until: .after(perItemDeadlines)) else { continue }
            guard found.item.sequence >= known[tag]?.sequence ?? 0 else { throw Self.isDamaged }
        }
    }

    /// Completes an unfinished change of keys, or removes key items left behind by a finished one. `perItemDeadlines`
    /// is the time for each partition; `nil` if the deadline covers all of them.
    func resumeRekey(until deadline: Deadline, perItemDeadlines: Duration? = nil) throws(StorageError) {
        try underLock(until: deadline) { () throws(StorageError) in
            let keys = try lookUpKeys(until: deadline)
            if !keys.isFinal {
                try moveToNewKeys(until: deadline, perItemDeadlines: perItemDeadlines, { _ in nil }) {
                    (_, _, _) throws(StorageError) in
                }
            } else if !keys.superseded.isEmpty {
                try remove(keys.superseded, until: deadline)
            }
        }
    }

    private func underLock(
        until deadline: Deadline,
        _ body: () throws(StorageError) -> Void
    ) throws(StorageError) {
        try directory.withLock(.writer, until: deadline) { () throws(StorageError) in
            let changes = try begin(until: deadline)
            defer {
                core.withLock { core in
                    core.frozenWord = nil
                    core.unreported = core.unreported.merging(changes)
                }
            }
            try body()
        }
    }

    /// Reseals the items that are still sealed with the old keys. The caller holds the writer's lock, and the list is
    /// settled. `perItemDeadlines` is the time for each partition; `nil` if the deadline covers all of them.
    private func moveToNewKeys(
        until end: Deadline,
        perItemDeadlines: Duration?,
        _ onStep: (RekeyStep) -> StorageError?,
        _ meter: RekeyMeter
    ) throws(StorageError) {
        var deadline: Deadline { perItemDeadlines.map { .after($0) } ?? end }
        let new = chain.newest
        guard var list = try withCore({ $0.list }) else { return }
        // Write the new epoch to the list, so that every process that reads it looks up the keys.
        list.epoch = new.epoch
        try writeListIfPossible(list)
        directory.revision.bump()
        try Self.reach(.listWritten, onStep)
        // Skip partitions that an earlier attempt resealed, so that each attempt makes progress. Include those missing
        // from the list, because no item may remain sealed under dropped keys.
        let (moved, older) = try items.partitions(sealedWith: new, chain, until: deadline)
        let total = Self.byteCount(of: list)
        var (completed, recordCount) = (0, 0)
        for tag in older.union(list.rows.keys).sorted() {
            if let row = list.rows[tag] {
                completed += Int(row.byteCount)
                recordCount += Int(row.recordCount)
            }
            if moved.contains(tag) { continue }
            guard let found = try items.partition(tag, chain, until: deadline), found.item.epoch < new.epoch,
                let old = chain.keys(of: found.item.epoch)
            else { continue }
            let bytes = try resealing.reseal(found.item, from: old, to: new).encoded(new)
            try write(bytes, as: .partition, KeyringAttributes.text(tag), until: deadline)
            list.rows[tag]?.byteCount = UInt32(clamping: bytes.count)
            try Self.reach(.partitionMoved, onStep)
            try meter(completed, total, recordCount)
        }
        let anchor = try items.anchorSequence(chain, until: deadline)
        if anchor > 0 {
            let bytes = try AnchorItem.encode(sequence: anchor, new)
            try write(bytes, as: .anchor, KeyringAttributes.anchorTag, until: deadline)
        }
        try Self.reach(.anchorMoved, onStep)
        try items.makeKeyItem(for: [new.group], until: deadline)
        try Self.reach(.newKeysSaved, onStep)
        try remove(try lookUpKeys(until: deadline).superseded, until: deadline)
        try Self.reach(.oldKeysRemoved, onStep)
        try withCore { core throws(StorageError) in core.read = [:] }
        try writeListIfPossible(list)
        directory.revision.bump()
    }

    private func write(
        _ bytes: [UInt8],
        as role: KeyringAttributes.Role,
        _ tag: String,
        until deadline: Deadline
    ) throws(StorageError) {
        let text = SecretText.sealed(Base64.encode(bytes))
        let attributes = items.attributes.all(role, tag: tag)
        let writing = KeyringWriting(writes: [.init(attributes: attributes, text: text, isNew: false)])
        try items.run(until: deadline, needsKeyItem: true) { calls throws(SecretServiceError) in
            try writing.perform(calls)
        }
    }

    private func remove(_ superseded: [KeyringItem], until deadline: Deadline) throws(StorageError) {
        try items.run(until: deadline) { calls throws(SecretServiceError) in
            for item in superseded { try calls.delete(item) }
        }
    }

    private static func byteCount(of list: ItemList) -> Int { list.rows.values.reduce(0) { $0 + Int($1.byteCount) } }

    private static func reach(_ step: RekeyStep, _ onStep: (RekeyStep) -> StorageError?) throws(StorageError) {
        if let error = onStep(step) { throw error }
    }
}
