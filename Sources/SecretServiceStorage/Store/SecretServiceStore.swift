internal import GroupDirectory
package import RecordStorage
internal import Sealing
internal import Synchronization
internal import SystemPackage

/// The records of a group in the keyring of the user: one item for each partition.
///
/// The folder of the group has the locks, the shared word and a list of the items, so that a reader needs to ask the
/// service for the partitions that it uses only. A transaction on one partition is one write of one item; one on several
/// is not applied as a whole where it is interrupted. Durable means accepted by the keyring.
///
/// Every call returns by its deadline; a transaction on many partitions as ``PerItemDeadlines`` says. A partition that is read later than the last refresh may be newer
/// than that, never older. All calls are safe to use from any thread.
package final class SecretServiceStore: RecordStore {
    let directory: GroupDirectory
    let items: KeyringItems
    let chain: KeyringKeyChain
    let resealing: KeyringResealing
    let limits: SecretServiceLimits
    let watch: ErasureWatch
    let core: Mutex<Core>

    static let listName = "items"

    /// What the store knows now.
    struct Core: Sendable {
        /// `nil` if there is no list that can be used: then every partition is asked for.
        var list: ItemList?
        /// The file that the list was read from.
        var seen: FileIdentity?
        /// The shared word at that time.
        var word: UInt64 = 0
        /// What was read, or written, as of the list.
        var read: [PartitionTag: KeyringPartition] = [:]
        /// A transaction is under way: until it ends the store reads as of its start. Then, the shared word at its start.
        var frozenWord: UInt64?
        /// What was read before its writer told of it, and was told here: the newest transaction on each partition.
        var told: [PartitionTag: UInt64] = [:]
        var isClosed = false
        /// What changed and was not told to anybody yet.
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

    /// The keys that everything new is sealed under.
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

/// What a store in a keyring takes. Every change rewrites an item, and some services their whole file.
package struct SecretServiceLimits: Hashable, Sendable {
    /// The most bytes that the records of one partition have together, sealed.
    package let partitionByteCount: Int
    /// The most partitions.
    package let partitionCount: Int

    package static let standard = SecretServiceLimits(partitionByteCount: 1 << 20, partitionCount: 1000)

    package init(partitionByteCount: Int, partitionCount: Int) {
        self.partitionByteCount = partitionByteCount
        self.partitionCount = partitionCount
    }
}
