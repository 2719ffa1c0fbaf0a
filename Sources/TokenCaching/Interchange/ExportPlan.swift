internal import RecordStorage
internal import UnifiedSchema

/// What an export will write, found out before it begins: the partitions that have something for a section, those that
/// everybody signed out of, and the entries that have no meaning here, by section.
struct ExportPlan {
    /// A partition and the kinds of entries in it.
    struct Partition {
        let tag: PartitionTag
        let kinds: UInt32
    }

    /// The entries without a meaning of one section, by their place among the records of the group's partition.
    struct OpaqueSection {
        var keyed: [Int] = []
        /// What stands in place of the whole section: a scalar, an array, or an empty object.
        var keyless: Int?
    }

    private(set) var partitions: [Partition] = []
    private(set) var opaqueSections: [[UInt8]: OpaqueSection] = [:]
    private(set) var opaqueContents: PartitionContents?
    private(set) var signedOutCount = 0
    private(set) var damagedCount = 0
    private(set) var entryCount = 0

    private let codec: RecordCodec
    private let groupPartition: PartitionTag

    init(
        of store: any RecordStore,
        codec: RecordCodec,
        includesSignedOutAccounts: Bool
    ) throws(StorageError) {
        self.codec = codec
        groupPartition = try codec.groupPartition()
        for (tag, _) in try store.partitions() {
            let contents = try store.contents(of: tag)
            let entries = contents.records.lazy.filter { !$0.kind.isEngineRecord }.count
            guard entries > 0 else { continue }
            if tag == groupPartition { try addOpaqueEntries(contents) }
            if !includesSignedOutAccounts, try isSignedOut(contents) {
                signedOutCount += entries
                continue
            }
            entryCount += entries
            partitions.append(Partition(tag: tag, kinds: Self.kinds(contents)))
        }
    }

    static func bit(_ kind: UInt8) -> UInt32 {
        kind < 32 ? 1 << UInt32(kind) : 0
    }

    private static func kinds(_ contents: PartitionContents) -> UInt32 {
        contents.records.reduce(0) { $0 | bit($1.kind.rawValue) }
    }

    private mutating func addOpaqueEntries(_ contents: PartitionContents) throws(StorageError) {
        opaqueContents = contents
        for (index, record) in contents.records.enumerated() where record.kind == RecordCodec.kind(.opaque) {
            guard let box = contents.facts[index],
                let facts = try codec.openFactsIfReadable(box, of: record, reader: contents.reader)
            else {
                damagedCount += 1
                continue
            }
            if facts.keyBytes == nil {
                opaqueSections[facts.sectionBytes, default: OpaqueSection()].keyless = index
            } else {
                opaqueSections[facts.sectionBytes, default: OpaqueSection()].keyed.append(index)
            }
        }
    }

    /// Whether every client that is known here signed the account out.
    private func isSignedOut(_ contents: PartitionContents) throws(StorageError) -> Bool {
        guard contents.records.contains(where: { $0.kind == EngineRecordKind.signInState.recordKind }) else {
            return false
        }
        let sealer = try codec.keyring.sealer(epoch: contents.reader.epoch)
        var signedOut: Set<String> = []
        var others: Set<String> = []
        for (record, box) in zip(contents.records, contents.facts) {
            guard let box else { continue }
            if record.kind == EngineRecordKind.signInState.recordKind {
                let state = try SignInState(decoding: codec.openFactsBytes(box.rawSpan, of: record, with: sealer))
                switch state.value {
                case .signedOut: signedOut.insert(state.clientID)
                case .signedIn: return false
                case .unknown: break
                }
            } else if EntryKind(rawValue: record.kind.rawValue)?.isCredential == true {
                let facts = try codec.openFactsIfReadable(box, of: record, reader: contents.reader)
                if let facts { others.insert(CredentialFields(facts).clientID.string) }
            }
        }
        return !signedOut.isEmpty && others.isSubset(of: signedOut)
    }
}
