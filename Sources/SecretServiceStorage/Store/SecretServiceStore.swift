// SPDX-License-Identifier: Apache-2.0

internal import GroupDirectory
package import RecordStorage
package import Sealing
internal import Synchronization
internal import SystemPackage

/// The records of a group in the user's keyring: one item for each partition.
///
/// The folder of the group contains the locks, the shared word and a list of the items, so that a reader queries the
/// service only for the partitions that it uses. A transaction on one partition writes one item; a transaction on
/// several is not atomic if interrupted. Here, durable means accepted by the keyring.
///
/// Every call returns by its deadline, except that transactions on many partitions use ``PerItemDeadlines``. A
/// partition may be newer than the last refresh, but never older. All calls are thread-safe.
package final class SecretServiceStore: RecordStore {
    let directory: GroupDirectory
    let items: KeyringItems
    let chain: KeyringKeyChain
    let resealing: KeyringResealing
    let limits: SecretServiceLimits
    let watch: ErasureWatch
    let core: Mutex<Core>

    package static let listName = "items"

    /// The current state of the store.
    struct Core: Sendable {
        /// The list; `nil` if it is not usable, in which case every partition is queried.
        var list: ItemList?
        /// The file that the list was read from.
        var seen: FileIdentity?
        /// The shared word when the list was read.
        var word: UInt64 = 0
        /// The cached partitions, read or written as of the list.
        var read: [PartitionTag: KeyringPartition] = [:]
        /// The shared word at the start of a transaction in progress, during which the store reads the state at its
        /// start; `nil` outside a transaction.
        var frozenWord: UInt64?
        /// The newest transaction on each partition that this store announced before the writer did.
        var announced: [PartitionTag: UInt64] = [:]
        var isClosed = false
        /// Changes not yet reported.
        var unreported = StoreChanges.none

        var isFrozen: Bool { frozenWord != nil }
    }

    init(
        _ directory: GroupDirectory,
        items: KeyringItems,
        chain: KeyringKeyChain,
        resealing: KeyringResealing,
        limits: SecretServiceLimits
    ) {
        self.directory = directory
        self.items = items
        self.chain = chain
        self.resealing = resealing
        self.limits = limits
        watch = ErasureWatch(directory) { [chain, directory] in
            guard case .list(let list)? = try? Self.readList(in: directory, chain)?.reading else { return nil }
            return list.erasures
        }
        core = Mutex(Core())
    }

    /// The keys that new items are sealed under.
    var keys: KeyringKeys { chain.newest }

    package var revision: RevisionWord { directory.revision.word }

    package var readOnlyReason: StorageError? { directory.readOnlyReason }

    package var isAtomicAcrossPartitions: Bool { false }

    package func close() {
        let wasClosed = core.withLock { core in
            defer { core.isClosed = true }
            core.read = [:]
            return core.isClosed
        }
        if !wasClosed { items.client.close() }
    }

    /// - Throws: ``StorageError/Code/closed``.
    func withCore<Result>(_ body: (inout Core) throws(StorageError) -> Result) throws(StorageError) -> Result {
        try core.withLock { core throws(StorageError) in
            guard !core.isClosed else { throw StorageError(.closed, path: directory.path.string) }
            return try body(&core)
        }
    }
}

/// The size limits of a store in a keyring. Limits exist because every change rewrites an item and, in some services,
/// the whole keyring file.
package struct SecretServiceLimits: Hashable, Sendable {
    /// The maximum total size of the sealed records of one partition.
    package let partitionByteCount: Int
    /// The maximum number of partitions.
    package let partitionCount: Int

    package static let standard = SecretServiceLimits(partitionByteCount: 1 << 20, partitionCount: 1000)

    package init(partitionByteCount: Int, partitionCount: Int) {
        self.partitionByteCount = partitionByteCount
        self.partitionCount = partitionCount
    }
}

extension SecretServiceStore: KeyHoldingStore {
    package var readsWithoutWaiting: Bool { false }

    package var fileBacked: (any FileBackedStore)? { nil }

    /// Reads the keyring in one step, so it never calls `progress`.
    package func examine(
        until deadline: Deadline,
        progress: @escaping (UInt64, UInt64) -> Bool
    ) throws(StorageError) -> StoreExamination {
        let report = try examine(until: deadline)
        // Leave out a missing list, which does not mean that any item is damaged.
        let findings = report.findings.filter { $0.kind != .unlisted }.map { finding in
            StoreExamination.Finding(
                finding.description,
                partition: finding.partition,
                isDamage: finding.isDamage
            )
        }
        return StoreExamination(findings: findings, byteCount: report.byteCount, partitions: report.partitions)
    }

    package func replaceKeys(
        until deadline: Deadline,
        meter: RekeyMeter,
        _ newKeys: (GroupKeys) throws(StorageError) -> GroupKeys
    ) throws(StorageError) {
        try replaceKeys(until: deadline, onStep: { _ in nil }, meter: meter, newKeys)
    }
}

extension SecretServiceStore {
    package func tryLease(_ number: UInt64) throws(StorageError) -> (any StoreLease)? {
        try withCore { _ in }
        return try directory.tryLease(number, in: .keyring)
    }

    /// The new handle has its own connection, so that either handle can be closed without the other.
    package func makeHandle(until deadline: Deadline) throws(StorageError) -> any RecordStore {
        try snapshot(until: deadline)
    }

    package func snapshot(until deadline: Deadline) throws(StorageError) -> SecretServiceStore {
        try withCore { _ in }
        let own = try KeyringItems(SecretServiceClient(items.client.location), directory.name)
        let other = SecretServiceStore(directory, items: own, chain: chain, resealing: resealing, limits: limits)
        _ = try other.move(until: deadline)
        return other
    }

    package func watchChanges() -> any ChangeWatch { directory.watchChanges() }
}
