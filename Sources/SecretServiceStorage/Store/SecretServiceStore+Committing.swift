// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupDirectory
package import RecordStorage
internal import Synchronization

extension SecretServiceStore {
    @discardableResult
    package func commit(
        until deadline: Deadline,
        _ body: (CommitContext, any BatchWriter) throws(StorageError) -> Void
    ) throws(StorageError) -> UInt64 {
        if let readOnlyReason { throw readOnlyReason }
        _ = try withCore { $0.isClosed }
        // Unlock before taking the lock, so that other processes do not wait while the keyring prompts the user.
        try items.run(until: deadline) { calls throws(SecretServiceError) in try calls.unlock() }
        return try directory.withLock(.writer, until: deadline) { () throws(StorageError) in
            try directory.confirm(.keyring)
            let changes = try begin(until: deadline)
            defer { core.withLock { $0.frozenWord = nil } }
            guard var list = try withCore({ $0.list }) else {
                throw StorageError(.damaged, detail: "the list of items that was just created is missing")
            }
            let keys = chain.newest
            list.epoch = keys.epoch
            let context = CommitContext(
                sequence: list.sequence + 1,
                epoch: keys.epoch,
                changes: changes,
                deadline: deadline
            )
            let batch = KeyringBatch()
            try body(context, batch)
            if batch.isEmpty { return list.sequence }
            return try write(batch, over: list, keys, until: deadline)
        }
    }

    /// Brings the store to the newest state and freezes it there. The caller holds the writer's lock.
    func begin(until deadline: Deadline) throws(StorageError) -> StoreChanges {
        let changes = try move(until: deadline)
        try withCore { core throws(StorageError) in core.unreported = core.unreported.merging(changes) }
        let before = try withCore { $0.list }
        try settleList(until: deadline)
        let word = revision.load()
        return try withCore { core throws(StorageError) in
            let settled = core.list.flatMap { before?.changes(to: $0) } ?? .everything
            core.frozenWord = word
            return core.report(settled)
        }
    }

    /// Makes a transaction durable. The caller holds the writer's lock on the newest state.
    private func write(
        _ batch: KeyringBatch,
        over list: ItemList,
        _ keys: KeyringKeys,
        until deadline: Deadline
    ) throws(StorageError) -> UInt64 {
        var plan = KeyringPlan(sequence: list.sequence + 1, epoch: keys.epoch)
        var touched = Set(batch.operations.keys)
        var list = list
        if batch.removesAll {
            // Count the items first: if the list is complete, emptying the group reads no secrets.
            if try itemCount(until: deadline) != list.rows.count {
                list.rows.merge(try unlisted(beside: list, until: deadline).rows) { $1 }
            }
            touched.formUnion(list.rows.keys)
        }
        let perItemDeadlines = PerItemDeadlines(until: deadline)
        for (index, tag) in touched.enumerated() {
            let end = perItemDeadlines.deadline(ofItem: index)
            var old = batch.removesAll ? nil : try load(tag, until: end, toChangeIt: true)?.item
            // All records of a partition are sealed with the keys of one epoch.
            if let item = old, item.epoch != keys.epoch, let oldKeys = chain.keys(of: item.epoch) {
                old = try resealing.reseal(item, from: oldKeys, to: keys)
            }
            plan.change(tag, from: old, by: batch.operations[tag] ?? [:], removesAll: batch.removesAll)
        }
        let removed = touched.filter { list.rows[$0] != nil && plan.partitions[$0]?.isEmpty == true }
        plan.partitions = plan.partitions.filter { !$0.value.isEmpty || removed.contains($0.key) }
        if plan.partitions.isEmpty, !batch.removesAll { return list.sequence }
        let prepared = try prepare(plan, over: list, removed: removed, keys)
        // Note the partitions, so that the next writer reads them again if this one does not finish.
        var begun = list
        begun.pending = ItemList.Pending(sequence: plan.sequence, partitions: Set(plan.partitions.keys))
        do throws(StorageError) {
            try writeList(begun)
        } catch {
            // A full disk must not prevent a sign-out. Remove the list instead, so that readers query the keyring.
            guard error.code == .full, batch.removal != nil else { throw error }
            try directory.removeFile(Self.listName)
        }
        do throws(StorageError) {
            try perform(prepared.writing, until: deadline)
        } catch {
            // Without a write, the sequence may be reused. After an indeterminate one, the next writer checks the
            // items.
            if error.code != .indeterminate { try? writeList(list) }
            directory.revision.bump()
            throw error
        }
        let sequence = finish(plan, prepared, over: list, removesAll: batch.removesAll)
        // The transaction is already durable, so failures here do not fail it.
        if batch.removal != nil { directory.removeStaleTemporaries() }
        if let scope = batch.removal, scope >= .account { _ = try? directory.emptyQuarantine() }
        return sequence
    }

    private struct Prepared {
        var writing = KeyringWriting()
        var items: [PartitionTag: (item: PartitionItem, byteCount: Int)] = [:]
    }

    /// Seals all items and checks their limits, before any is written.
    private func prepare(
        _ plan: KeyringPlan,
        over list: ItemList,
        removed: Set<PartitionTag>,
        _ keys: KeyringKeys
    ) throws(StorageError) -> Prepared {
        var prepared = Prepared()
        if !removed.isEmpty {
            // Write the anchor first: the sequence must not be reused even if no item with it remains.
            let text = SecretText.sealed(Base64.encode(try AnchorItem.encode(sequence: plan.sequence, keys)))
            let attributes = items.attributes.all(.anchor, tag: KeyringAttributes.anchorTag)
            prepared.writing.writes.append(KeyringWriting.Write(attributes: attributes, text: text, isNew: false))
        }
        var count = list.rows.count
        for (tag, records) in plan.partitions.sorted(by: { $0.key < $1.key }) {
            let attributes = items.attributes.all(.partition, tag: KeyringAttributes.text(tag))
            guard !records.isEmpty else {
                prepared.writing.writes.append(KeyringWriting.Write(attributes: attributes, text: nil, isNew: false))
                continue
            }
            let item = PartitionItem(partition: tag, epoch: keys.epoch, sequence: plan.sequence, records: records)
            let size = records.reduce(0) { $0 + $1.facts.count + $1.secret.count }
            guard size <= limits.partitionByteCount else {
                throw StorageError(
                    .tooLarge,
                    detail: "one account would take \(size) bytes in the keyring; the limit is "
                        + "\(limits.partitionByteCount)",
                    advice: Self.adviceToUseFile
                )
            }
            if list.rows[tag] == nil { count += 1 }
            let bytes = try item.encoded(keys)
            prepared.items[tag] = (item, bytes.count)
            let text = SecretText.sealed(Base64.encode(bytes))
            let isNew = list.rows[tag] == nil
            prepared.writing.writes.append(KeyringWriting.Write(attributes: attributes, text: text, isNew: isNew))
        }
        guard count - removed.count <= limits.partitionCount || prepared.items.keys.allSatisfy({ list.rows[$0] != nil })
        else {
            throw StorageError(
                .tooLarge,
                detail:
                    "the keyring would hold \(count) accounts of the group; the limit is \(limits.partitionCount)",
                advice: Self.adviceToUseFile
            )
        }
        return prepared
    }

    /// The advice for a group that is too large for the keyring.
    private static let adviceToUseFile =
        "Keep the group in the encrypted file: cachetool migrate --to file moves it there, and "
        + "cachetool import --storage file makes a new one there"

    /// Records a durable transaction.
    private func finish(
        _ plan: KeyringPlan,
        _ prepared: Prepared,
        over list: ItemList,
        removesAll: Bool
    ) -> UInt64 {
        var list = list
        list.sequence = plan.sequence
        list.erasures.note(plan.erasures)
        if removesAll { list.erasures.emptiedAt = plan.sequence }
        for tag in plan.partitions.keys {
            list.rows[tag] = prepared.items[tag].map { ItemList.Row($0.item, byteCount: $0.byteCount) }
        }
        // A failure to write the list does not undo the transaction: the next reader reads the items instead.
        let isListed = (try? writeList(list)) != nil
        let moment = ErasureWatch.Moment(sequence: plan.sequence, word: revision.load())
        core.withLock { core in
            for tag in plan.partitions.keys {
                core.read[tag] = prepared.items[tag].map {
                    KeyringPartition($0.item, byteCount: $0.byteCount, asOf: moment, watch)
                }
            }
            if !isListed { core.drop() }
        }
        let word = directory.revision.announce(plan.sequence)
        core.withLock { core in
            core.word = word
            let moment = ErasureWatch.Moment(sequence: plan.sequence, word: word)
            for partition in core.read.values { partition.confirm(asOf: moment) }
        }
        watch.note(list.erasures, word: word)
        return plan.sequence
    }
}

extension SecretServiceStore {
    /// Makes the changes within the time given by ``PerItemDeadlines``. The caller holds the writer's lock.
    ///
    /// - Throws: ``StorageError/Code/indeterminate`` if some changes were, or may have been, made.
    func perform(_ writing: KeyringWriting, until deadline: Deadline) throws(StorageError) {
        let perItemDeadlines = PerItemDeadlines(until: deadline)
        var start = 0
        while start < writing.writes.count {
            let end = start == 0 ? min(PerItemDeadlines.usualItemCount, writing.writes.count) : start + 1
            let part = KeyringWriting(writes: Array(writing.writes[start..<end]))
            do throws(StorageError) {
                try items.run(until: perItemDeadlines.deadline(ofItem: start), needsKeyItem: true) {
                    calls throws(SecretServiceError) in
                    try part.perform(calls)
                }
            } catch {
                if start == 0 { throw error }
                throw StorageError(.indeterminate, detail: error.detail ?? "some items were written and others not")
            }
            start = end
        }
    }
}
