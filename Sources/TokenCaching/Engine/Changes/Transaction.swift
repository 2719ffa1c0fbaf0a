// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
package import GroupRecords
package import RecordStorage
package import UnifiedSchema

/// A change in progress: reads the newest state under the writer's lock, and collects puts and removals.
package struct Transaction {
    package let context: CommitContext
    private let batch: any BatchWriter
    private let store: any RecordStore
    private let codec: RecordCodec
    /// The partitions that the change writes to.
    private(set) var touched: Set<PartitionTag> = []
    /// Whether the change empties the group.
    private(set) var removesAll = false
    /// The number of entries written so far.
    private var entryCount: UInt32 = 0

    package init(
        _ context: CommitContext,
        _ batch: any BatchWriter,
        store: any RecordStore,
        codec: RecordCodec
    ) {
        self.context = context
        self.batch = batch
        self.store = store
        self.codec = codec
    }

    /// The current entries of a partition. Tokens whose `rows` contain enough are not opened.
    package func entries(
        of partition: PartitionTag,
        rows: PartitionFacts? = nil,
        where isWanted: (RecordKind) -> Bool = { _ in true }
    ) throws(StorageError) -> PartitionEntries {
        let contents = try store.contents(of: partition, until: context.deadline)
        return try PartitionEntries(contents, codec: codec, rows: rows, where: isWanted)
    }

    /// Writes an entry.
    package mutating func put(
        _ facts: EntryFacts,
        secret: RawSpan,
        at address: RecordAddress
    ) throws(StorageError) {
        try batch.put(try codec.seal(facts.placed(at: entryCount), secret: secret, at: address, in: context))
        entryCount += 1
        touched.insert(address.partition)
    }

    /// Writes the sign-in state of a client.
    package mutating func put(_ state: SignInRecord, in partition: PartitionTag) throws(StorageError) {
        let tag = try codec.signInStateTag(clientID: state.clientID, partition: partition)
        try put(state.encoded(), kind: .signInState, tag: tag, in: partition)
    }

    /// The partitions of the group, to read all of them.
    func partitionsToRead() throws(StorageError) -> [(tag: PartitionTag, recordCount: Int)] {
        try store.partitionsToRead(until: context.deadline)
    }

    /// Writes an internal record.
    package mutating func put(
        _ facts: [UInt8],
        secret: RawSpan = RawSpan(),
        kind: InternalRecordKind,
        tag: RecordTag,
        in partition: PartitionTag
    ) throws(StorageError) {
        let address = RecordAddress(tag: tag, partition: partition, searchTags: [])
        let record = try codec.seal(
            facts: facts.rawSpan,
            secret: secret,
            kind: kind.recordKind,
            at: address,
            in: context
        )
        try batch.put(record)
        touched.insert(partition)
    }

    /// Removes a record. Its sealed secret is overwritten if the user asked for the removal.
    package mutating func remove(
        _ tag: RecordTag,
        in partition: PartitionTag,
        erasingSecret: Bool
    ) throws(StorageError) {
        try batch.remove(Removal(tag: tag, partition: partition, erasesSecret: erasingSecret))
        touched.insert(partition)
    }

    /// Removes every record except those that this change puts.
    package mutating func removeAll() throws(StorageError) {
        try batch.removeAll()
        removesAll = true
    }

    /// Writes the group's tombstone, and declares to the store that the user asked for a removal: even if nothing is
    /// left to remove, the tombstone must be written, also on a full disk.
    package mutating func noteRemoval(
        _ scope: RemovalScope,
        by clientID: String,
        at time: Int64,
        group: PartitionTag
    ) throws(StorageError) {
        batch.declareRemoval(of: scope)
        let tag = try codec.lastRemovalTag()
        let old = try mark(tag, in: group)
        // An unreadable tombstone may record that everything was removed, which renewals must not undo.
        let mark = (old ?? Tombstone())
            .moved(scope, by: clientID, at: time, in: scope == .group || old == nil ? context.sequence : nil)
        try put(mark.encoded(), kind: .lastRemoval, tag: tag, in: group)
    }

    /// Writes the tombstone of an account that was wiped.
    mutating func noteWipe(of partition: PartitionTag, by clientID: String, at time: Int64) throws(StorageError) {
        let tag = try codec.accountWipeTag(partition: partition)
        let mark = (try mark(tag, in: partition) ?? Tombstone()).moved(
            .account,
            by: clientID,
            at: time,
            in: context.sequence
        )
        try put(mark.encoded(), kind: .accountWipe, tag: tag, in: partition)
    }

    /// The last tombstone, or a new one; nil if it cannot be read.
    private func mark(_ tag: RecordTag, in partition: PartitionTag) throws(StorageError) -> Tombstone? {
        do throws(StorageError) {
            let contents = try store.contents(of: partition, until: context.deadline)
            return try codec.tombstone(tag, in: contents) ?? Tombstone()
        } catch {
            guard error.code == .damaged else { throw error }
            return nil
        }
    }
}
