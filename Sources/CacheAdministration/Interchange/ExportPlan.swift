// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
internal import RecordStorage
internal import TokenCaching
internal import UnifiedSchema

/// What an export will write, determined before it begins: the partitions with entries for each section, in the order in
/// which their first entries were written, those that
/// every client signed out of, and the opaque entries by section.
struct ExportPlan {
    /// A partition and the kinds of its entries.
    struct Partition {
        let tag: PartitionTag
        let kinds: UInt32
        /// Nil if none of its entries can be read.
        let firstEntry: WrittenOrder?
    }

    /// The opaque entries of one section, by their index among the records of the group's partition.
    struct OpaqueSection {
        var keyed: [Int] = []
        /// A value in place of the whole section: a scalar, an array, or an empty object.
        var keyless: Int?
    }

    private(set) var partitions: [Partition] = []
    private(set) var opaqueSections: [[UInt8]: OpaqueSection] = [:]
    /// The records of the group's partition, if some are opaque.
    private(set) var opaqueRecords: PartitionReader?
    private(set) var signedOutCount = 0
    private(set) var damagedCount = 0
    private(set) var entryCount = 0

    let groupPartition: PartitionTag
    private let codec: RecordCodec
    /// How to write entries of several partitions that share a key in one section. Usually there are none.
    private(set) var collisions = KeyCollisions()

    init(
        of store: any RecordStore,
        codec: RecordCodec,
        until deadline: Deadline,
        includesSignedOutAccounts: Bool
    ) throws(StorageError) {
        self.codec = codec
        groupPartition = try codec.groupPartition()
        var keys = KeyCensus()
        var issuers: Set<PartitionTag> = []
        for (tag, _) in try store.partitionsToRead(until: deadline) {
            let contents = try store.contents(of: tag, until: deadline)
            let entries = contents.records.lazy.filter { Self.isExported($0) }.count
            guard entries > 0 else { continue }
            if tag == groupPartition { try addOpaqueEntries(contents) }
            if !includesSignedOutAccounts, try isSignedOut(contents) {
                signedOutCount += entries
                continue
            }
            entryCount += entries
            let reader = try PartitionReader(contents, codec: codec)
            var firstEntry: WrittenOrder?
            for (index, record) in contents.records.enumerated() where Self.isExported(record) {
                guard let facts = try reader.facts(index).content else { continue }
                let order = WrittenOrder(record, facts)
                firstEntry = min(firstEntry ?? order, order)
                if facts.has(.issuer) { issuers.insert(tag) }
            }
            partitions.append(Partition(tag: tag, kinds: Self.kinds(contents), firstEntry: firstEntry))
            // The tags of accounts at issuers do not depend on the keys alone.
            if issuers.contains(tag) { continue }
            for record in contents.records where record.isWritable { keys.count(record.tag) }
        }
        partitions.sort { left, right in
            guard let first = right.firstEntry else { return left.firstEntry != nil }
            return left.firstEntry.map { $0 < first } ?? false
        }
        if !keys.repeated.isEmpty {
            collisions = try KeyCollisions(
                of: &keys,
                in: partitions.map(\.tag),
                store: store,
                codec: codec,
                until: deadline
            )
        }
        for partition in partitions where issuers.contains(partition.tag) {
            let contents = try store.contents(of: partition.tag, until: deadline)
            try collisions.addAccountAtIssuer(partition.tag, contents, codec: codec, keys: &keys)
        }
    }

    /// Whether the record is an entry of a unified document. ADAL items are never exported.
    private static func isExported(_ record: StoredRecord) -> Bool {
        !record.kind.isInternalRecord && record.kind != RecordCodec.kind(.legacySingleResourceToken)
    }

    static func bit(_ kind: EntryKind?) -> UInt32 {
        kind.map { $0.rawValue < 32 ? 1 << UInt32($0.rawValue) : 0 } ?? 0
    }

    private static func kinds(_ contents: PartitionContents) -> UInt32 {
        contents.records.reduce(0) { $0 | bit($1.kind.entryKind) }
    }

    private mutating func addOpaqueEntries(_ contents: PartitionContents) throws(StorageError) {
        let reader = try PartitionReader(contents, codec: codec)
        opaqueRecords = reader
        var found: [(index: Int, facts: EntryFacts)] = []
        for (index, record) in reader.records.enumerated() where record.kind == RecordCodec.kind(.opaque) {
            if let facts = try reader.facts(index).content { found.append((index, facts)) } else { damagedCount += 1 }
        }
        let records = reader.records
        found.sort { WrittenOrder(records[$0.index], $0.facts) < WrittenOrder(records[$1.index], $1.facts) }
        for (index, facts) in found {
            if facts.keyBytes == nil {
                opaqueSections[facts.sectionBytes, default: OpaqueSection()].keyless = index
            } else {
                opaqueSections[facts.sectionBytes, default: OpaqueSection()].keyed.append(index)
            }
        }
    }

    /// Whether every known client signed out of the account.
    private mutating func isSignedOut(_ contents: PartitionContents) throws(StorageError) -> Bool {
        guard contents.records.contains(where: { $0.kind == InternalRecordKind.signInState.recordKind }) else {
            return false
        }
        var signedOut: Set<String> = []
        var others: Set<String> = []
        let reader = try PartitionReader(contents, codec: codec)
        for (index, record) in reader.records.enumerated() {
            if record.kind == InternalRecordKind.signInState.recordKind {
                guard let state = try reader.signInState(index).content else {
                    damagedCount += 1
                    continue
                }
                switch state.value {
                case .signedOut: signedOut.insert(state.clientID)
                case .signedIn: return false
                case .unknown: break
                }
            } else if record.kind.entryKind?.isCredential == true {
                if let facts = try reader.facts(index).content {
                    others.insert(CredentialFields(facts).clientID.string)
                }
            }
        }
        return !signedOut.isEmpty && others.isSubset(of: signedOut)
    }
}
