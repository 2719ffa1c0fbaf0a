// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The state shared by all handles of a group in memory, like the folder of a group on disk.
///
/// Lives as long as a handle or its creator references it. Thread-safe.
package final class MemoryBacking: Sendable {
    let writerLock = TimedLock()
    let signal = MemorySignal()
    let leases = MemoryLeases()
    private let state: Mutex<State>

    /// The number of past transactions whose exact changes are reported to handles.
    private static let historyLength = 1024

    private struct State {
        var sequence: UInt64 = 0
        let epoch: UInt32
        var contents = MemoryContents()
        var nextLocation: UInt64 = 1
        /// The changes of the newest transactions, oldest first; the last element belongs to `sequence`.
        var history: [StoreChanges] = []
    }

    /// Creates an empty group.
    package init(epoch: UInt32 = 1) {
        state = Mutex(State(epoch: epoch))
    }

    var revision: RevisionWord { signal.word }

    /// The newest state, and the changes since the transaction `sequence`.
    func newest(since sequence: UInt64) -> MemoryView {
        state.withLock { state in
            let missed = state.sequence - sequence
            let changes: StoreChanges =
                missed > UInt64(state.history.count)
                ? .everything : state.history.suffix(Int(missed)).reduce(.none) { $0.merging($1) }
            return MemoryView(sequence: state.sequence, epoch: state.epoch, contents: state.contents, changes: changes)
        }
    }

    /// Applies the operations as the next transaction. The caller holds the writer's lock.
    func apply(_ batch: MemoryBatch) -> MemoryView {
        var erased: [MemoryBox] = []
        let view = state.withLock { state in
            let changes = apply(batch, to: &state, erased: &erased)
            if state.history.count == Self.historyLength { state.history.removeFirst(Self.historyLength / 2) }
            state.history.append(changes)
            return MemoryView(sequence: state.sequence, epoch: state.epoch, contents: state.contents, changes: changes)
        }
        for box in erased { box.erase() }
        signal.raise()
        return view
    }

    private func apply(_ batch: MemoryBatch, to state: inout State, erased: inout [MemoryBox]) -> StoreChanges {
        state.sequence += 1
        var touched: [PartitionTag: [RecordTag: MemoryRecord]] = [:]
        func load(_ tag: PartitionTag) {
            if touched[tag] == nil {
                let records = state.contents[tag]?.records ?? []
                touched[tag] = Dictionary(uniqueKeysWithValues: records.map { ($0.stored.tag, $0) })
            }
        }
        if batch.removesAll {
            for (tag, partition) in state.contents.partitions {
                erased += partition.records.compactMap(\.secret)
                touched[tag] = [:]
            }
        }
        for (key, operation) in batch.operations {
            load(key.partition)
            switch operation {
            case .put(let record):
                touched[key.partition]?[key.tag] = Self.makeRecord(record, &state)
            case .remove(let removal):
                let old = touched[key.partition]?.removeValue(forKey: key.tag)
                if removal.erasesSecret, let secret = old?.secret { erased.append(secret) }
            }
        }
        for (tag, records) in touched {
            let sorted = records.values.sorted { $0.stored.tag < $1.stored.tag }
            state.contents.replace(tag, with: MemoryPartition(epoch: state.epoch, records: sorted))
        }
        return batch.removesAll ? .everything : .partitions(Set(touched.keys))
    }

    private static func makeRecord(_ record: NewRecord, _ state: inout State) -> MemoryRecord {
        func location(_ bytes: [UInt8]) -> BoxLocation {
            guard !bytes.isEmpty else { return .none }
            defer { state.nextLocation += 1 }
            return BoxLocation(offset: state.nextLocation, length: UInt32(bytes.count))
        }
        return MemoryRecord(
            stored: StoredRecord(
                tag: record.tag,
                kind: record.kind,
                sequence: state.sequence,
                facts: location(record.facts),
                secret: location(record.secret)
            ),
            facts: record.facts,
            secret: record.secret.isEmpty ? nil : MemoryBox(record.secret),
            searchTags: record.searchTags
        )
    }
}

/// The leases currently held in a group in memory.
final class MemoryLeases: Sendable {
    private let held = Mutex<Set<UInt64>>([])

    func acquire(_ number: UInt64) -> (any StoreLease)? {
        guard held.withLock({ $0.insert(number).inserted }) else { return nil }
        return Lease(number, of: self)
    }

    private func release(_ number: UInt64) {
        _ = held.withLock { $0.remove(number) }
    }

    private final class Lease: StoreLease {
        private let number: UInt64
        private let leases: MemoryLeases
        private let isReleased = Atomic<Bool>(false)

        init(_ number: UInt64, of leases: MemoryLeases) {
            self.number = number
            self.leases = leases
        }

        deinit { release() }

        func release() {
            if !isReleased.exchange(true, ordering: .acquiringAndReleasing) { leases.release(number) }
        }
    }
}
