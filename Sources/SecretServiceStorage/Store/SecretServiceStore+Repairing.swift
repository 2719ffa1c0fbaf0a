// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupDirectory
package import RecordStorage
internal import Sealing
internal import Synchronization

/// The state of a group's items in the keyring, with the problems found.
package struct KeyringReport: Sendable {
    package fileprivate(set) var findings: [KeyringFinding] = []
    /// The readable partitions.
    package fileprivate(set) var partitions: [(tag: PartitionTag, contents: PartitionContents)] = []
    /// The total size of their items.
    package fileprivate(set) var byteCount: UInt64 = 0
    /// Partitions whose records are all lost.
    package fileprivate(set) var lost: Set<PartitionTag> = []
    /// The number of bytes that a repair quarantines.
    package fileprivate(set) var quarantinedByteCount: UInt64 = 0
    /// The files in the group's folder `quarantine` that contain those bytes.
    package fileprivate(set) var quarantinedFiles: [String] = []
    /// Whether the repair made changes.
    package fileprivate(set) var isRepaired = false

    package var isDamaged: Bool { findings.contains(where: \.isDamage) }
}

extension SecretServiceStore {
    /// Reads all items that the keyring holds for the group and compares them with the list, without changing anything.
    ///
    /// - Throws: errors of the keyring; ``StorageError/Code/busy`` if damage was found but another process held the
    ///   lock until the deadline.
    package func examine(until deadline: Deadline) throws(StorageError) -> KeyringReport {
        let time = WaitingTime(until: deadline)
        let report = report(on: try look(within: time).examination)
        if !report.isDamaged { return report }
        // Check again under a shared lock, because apparent damage may be a transaction in progress.
        return try directory.withLock(.writer, .shared, until: deadline) { () throws(StorageError) in
            self.report(on: try look(within: time).examination)
        }
    }

    /// Deletes unusable items from the keyring, and missing items from the list, holding the writer's lock throughout.
    ///
    /// - Parameters:
    ///   - time: for the lock; restarts with each answer of the keyring.
    ///   - isDryRun: only reports what would be done.
    ///   - judge: receives the readable records, and returns those to drop because they do not open. The store itself
    ///     never opens a box.
    /// - Returns: the findings and actions.
    /// - Throws: errors of `judge` and of the keyring. An interrupted repair can be run again.
    package func repair(
        within time: WaitingTime,
        isDryRun: Bool,
        _ judge: (KeyringReport) throws(StorageError) -> [PartitionTag: Set<RecordTag>]
    ) throws(StorageError) -> KeyringReport {
        if !isDryRun, let readOnlyReason { throw readOnlyReason }
        try items.run(until: time.deadline) { calls throws(SecretServiceError) in try calls.unlock() }
        return try directory.withLock(.writer, isDryRun ? .shared : .exclusive, until: time.deadline) {
            () throws(StorageError) in
            try directory.confirmReading(.keyring)
            let (examination, list) = try look(within: time)
            var report = report(on: examination)
            let planned = PlannedRepair(
                examination: examination,
                list: list,
                sequence: examination.newestSequence + 1,
                damaged: try judge(report)
            )
            report.quarantinedByteCount = planned.quarantined.reduce(0) { $0 + UInt64($1.byteCount) }
            if isDryRun || !report.isDamaged && planned.damaged.isEmpty { return report }
            let aside = try setAside(planned.quarantined.map(\.item), within: time)
            report.quarantinedByteCount = aside?.byteCount ?? 0
            report.quarantinedFiles = [aside?.name].compactMap(\.self)
            try apply(planned, within: time)
            report.isRepaired = true
            return report
        }
    }

    private func look(
        within time: WaitingTime
    ) throws(StorageError) -> (examination: KeyringExamination, list: ItemList?) {
        try lookUpKeys(until: time.deadline)
        _ = try move(until: time.deadline)
        let list = try withCore { $0.list }
        var sequence: UInt64 = 0
        if list == nil, case .old(let known)? = try Self.readList(in: directory, chain)?.reading { sequence = known }
        let inventory = try items.inventory(chain, within: time)
        return (KeyringExamination(inventory, list: list, sequence: sequence), list)
    }

    private func report(on examination: KeyringExamination) -> KeyringReport {
        var report = KeyringReport()
        report.findings = examination.findings
        report.lost = examination.lost
        // Skip the check for erasures: the content was just read, and is not returned to applications.
        let watch = ErasureWatch(directory) { ErasureList() }
        let moment = ErasureWatch.Moment(sequence: examination.newestSequence, word: revision.load())
        for (tag, kept) in examination.kept.sorted(by: { $0.key < $1.key }) {
            let partition = KeyringPartition(kept.content, byteCount: kept.byteCount, asOf: moment, watch)
            report.partitions.append((tag, partition.contents))
            report.byteCount += UInt64(kept.byteCount)
        }
        return report
    }

    // MARK: - Planned repairs

    private struct PlannedRepair {
        let examination: KeyringExamination
        let list: ItemList?
        let sequence: UInt64
        let damaged: [PartitionTag: Set<RecordTag>]

        /// The items to quarantine: those to delete, and those that lose records.
        var quarantined: [(item: KeyringItem, byteCount: Int)] {
            examination.unusable.map { ($0.item, $0.byteCount) }
                + damaged.keys.sorted().compactMap { examination.kept[$0] }.map { ($0.item, $0.byteCount) }
        }

        /// The partitions whose items the repair writes.
        var touched: Set<PartitionTag> {
            Set(damaged.keys).union(examination.kept.filter { !$0.value.isInPlace }.keys)
        }
    }

    /// Quarantines items: writes one line for each, with its D-Bus path and its text.
    private func setAside(
        _ items: [KeyringItem],
        within time: WaitingTime
    ) throws(StorageError) -> (name: String, byteCount: UInt64)? {
        let texts = try self.items.texts(of: items, until: time.deadline)
        time.restart()
        guard !texts.isEmpty else { return nil }
        var bytes: [UInt8] = []
        for (item, text) in texts { bytes += Array(item.path.utf8) + [UInt8(ascii: " ")] + text + [UInt8(ascii: "\n")] }
        return (try directory.quarantine(bytes.rawSpan, label: "items"), UInt64(bytes.count))
    }

    /// Applies the changes. Lost partitions stay in the list until all other changes are made, so that a repair after
    /// an interrupted one finds them again.
    private func apply(_ planned: PlannedRepair, within time: WaitingTime) throws(StorageError) {
        let keys = chain.newest
        let (examination, sequence) = (planned.examination, planned.sequence)
        if var begun = planned.list {
            // Record the sequence first, so that it is never reused.
            begun.sequence = sequence
            try writeList(begun)
        }
        var list = ItemList(epoch: keys.epoch, sequence: sequence)
        list.erasures = planned.list?.erasures ?? ErasureList()
        list.erasures.forget(through: sequence)
        for (tag, kept) in examination.kept { list.rows[tag] = ItemList.Row(kept.content, byteCount: kept.byteCount) }
        let anchor = SecretText.sealed(Base64.encode(try AnchorItem.encode(sequence: sequence, keys)))
        var writing = KeyringWriting()
        writing.writes.append(
            KeyringWriting.Write(
                attributes: items.attributes.all(.anchor, tag: KeyringAttributes.anchorTag),
                text: anchor,
                isNew: false
            )
        )
        let touched = planned.touched
        for tag in touched.sorted() {
            let content = try repaired(tag, in: planned, keys: keys)
            let bytes = try content.encoded(keys)
            list.rows[tag] = content.records.isEmpty ? nil : ItemList.Row(content, byteCount: bytes.count)
            let text = content.records.isEmpty ? nil : SecretText.sealed(Base64.encode(bytes))
            let attributes = items.attributes.all(.partition, tag: KeyringAttributes.text(tag))
            writing.writes.append(KeyringWriting.Write(attributes: attributes, text: text, isNew: false))
        }
        try perform(writing, until: time.deadline)
        time.restart()
        // Skip items of written partitions: writing a partition also removes its other items.
        for (item, location, _) in examination.unusable where location.map({ !touched.contains($0) }) ?? true {
            try items.run(until: time.deadline) { calls throws(SecretServiceError) in try calls.delete(item) }
            time.restart()
        }
        try writeListIfPossible(list)
        let word = directory.revision.announce(sequence)
        watch.note(list.erasures, word: word)
        core.withLock { core in
            core.read = [:]
            core.word = word
            core.unreported = .everything
        }
    }

    private func repaired(
        _ tag: PartitionTag,
        in planned: PlannedRepair,
        keys: KeyringKeys
    ) throws(StorageError) -> PartitionItem {
        let old = planned.examination.kept[tag]?.content
        let damaged = planned.damaged[tag] ?? []
        let sequence = planned.sequence
        var item = PartitionItem(
            partition: tag,
            epoch: old?.epoch ?? keys.epoch,
            sequence: sequence,
            records: (old?.records ?? []).filter { !damaged.contains($0.tag) }
        )
        // All records of a partition are sealed with the keys of one epoch.
        if item.epoch != keys.epoch, let oldKeys = chain.keys(of: item.epoch) {
            item = try resealing.reseal(item, from: oldKeys, to: keys)
        }
        return PartitionItem(partition: tag, epoch: keys.epoch, sequence: sequence, records: item.records)
    }
}
