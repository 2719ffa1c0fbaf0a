// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupRecords
internal import RecordStorage
internal import Sealing
internal import TokenCaching
internal import UnifiedSchema

/// One export: section by section, in each account by account, in the order in which entries were written.
struct ExportRun: ~Copyable {
    private let store: any RecordStore
    private let codec: RecordCodec
    /// How long one read may wait. The time that the sink takes does not count.
    private let timeout: Duration
    private let plan: ExportPlan
    private var writer: DocumentWriter
    private var buffer: ExportBuffer
    private var meter: ProgressMeter
    private var report = ExportReport()
    /// Whether an entry to be written was erased in the meantime, so that the document cannot be completed.
    private(set) var wasOvertaken = false
    /// Whether the secret of a record is damaged, which reads as erased.
    private let isDamaged: (StoredRecord, PartitionTag) throws(StorageError) -> Bool
    /// Sections whose entries were seen while another section was written.
    private var sectionsSeen: Set<DocumentSection> = []

    init(
        store: any RecordStore,
        codec: RecordCodec,
        sink: any ByteSink,
        options: ExportOptions,
        until deadline: Deadline,
        timeout: Duration,
        progress: ProgressHandler?,
        isDamaged: @escaping (StoredRecord, PartitionTag) throws(StorageError) -> Bool
    ) throws(StorageError) {
        let plan = try ExportPlan(
            of: store,
            codec: codec,
            until: deadline,
            includesSignedOutAccounts: options.includesSignedOutAccounts
        )
        let buffer = try ExportBuffer(sink)
        self.store = store
        self.codec = codec
        self.timeout = timeout
        self.isDamaged = isDamaged
        self.plan = plan
        self.buffer = buffer
        writer = DocumentWriter(style: options.isIndented ? .indented : .compact)
        meter = ProgressMeter(progress, phase: .writing, totalBytes: nil)
        report.signedOutCount = plan.signedOutCount
        report.damagedCount = plan.damagedCount
    }

    /// Writes the document.
    mutating func run() throws(StorageError) -> ExportReport {
        for section in DocumentSection.allCases { try write(section) }
        for name in plan.opaqueSections.keys.sorted(by: { $0.lexicographicallyPrecedes($1) })
        where Self.section(name) == nil {
            try writeOpaque(name, hasEntries: false)
        }
        try finish()
        report.byteCount = buffer.byteCount
        return report
    }

    private static func section(_ name: [UInt8]) -> DocumentSection? {
        UTF8Text(utf8: name.rawSpan).flatMap { DocumentSection(name: $0) }
    }

    private mutating func write(_ section: DocumentSection) throws(StorageError) {
        let before = report.entryCount
        // Entries of this section are stored with the kinds of another one, and were noticed when that was written.
        let isWorthALook = section != .accessTokenWithAuthScheme || sectionsSeen.contains(section)
        let kinds = isWorthALook ? section.kinds : []
        let wanted = kinds.reduce(0) { $0 | ExportPlan.bit($1) }
        for partition in plan.partitions where partition.kinds & wanted != 0 {
            let reader = try PartitionReader(store.contents(of: partition.tag, until: .after(timeout)), codec: codec)
            var found: [(index: Int, facts: EntryFacts)] = []
            for (index, record) in reader.records.enumerated()
            where ExportPlan.bit(record.kind.entryKind) & wanted != 0
                && !plan.collisions.isSuperseded(record.tag, in: partition.tag)
            {
                if let facts = try facts(index, of: reader, in: section) { found.append((index, facts)) }
            }
            let records = reader.records
            found.sort { WrittenOrder(records[$0.index], $0.facts) < WrittenOrder(records[$1.index], $1.facts) }
            for (index, facts) in found {
                let newKey = plan.collisions.newKey(of: records[index].tag, in: partition.tag)
                try write(facts, index, of: reader, in: partition.tag, under: newKey)
            }
        }
        try writeOpaque(Array(section.name.utf8), hasEntries: report.entryCount > before)
    }

    /// Writes the opaque entries of one section, last.
    private mutating func writeOpaque(_ section: [UInt8], hasEntries: Bool) throws(StorageError) {
        guard let opaque = plan.opaqueSections[section], let reader = plan.opaqueRecords else { return }
        // The section may have gained entries since it was imported empty, or as something other than an object.
        let indices = opaque.keyed.isEmpty && !hasEntries ? opaque.keyless.map { [$0] } ?? [] : opaque.keyed
        for index in indices where !plan.collisions.isSuperseded(reader.records[index].tag, in: plan.groupPartition) {
            guard let facts = try facts(index, of: reader, in: nil) else { continue }
            try write(facts, index, of: reader, in: plan.groupPartition)
        }
    }

    /// The facts of an entry of a section; nil if it belongs to another section, or cannot be read.
    private mutating func facts(
        _ index: Int,
        of reader: PartitionReader,
        in section: DocumentSection?
    ) throws(StorageError) -> EntryFacts? {
        guard let facts = try reader.facts(index).content else {
            if section != .accessTokenWithAuthScheme { report.damagedCount += 1 }
            return nil
        }
        if let section, let own = facts.section, own != section {
            sectionsSeen.insert(own)
            return nil
        }
        return facts
    }

    private mutating func write(
        _ facts: EntryFacts,
        _ index: Int,
        of reader: PartitionReader,
        in partition: PartitionTag,
        under newKey: UTF8Text? = nil
    ) throws(StorageError) {
        let secret: SecretBytes?
        do throws(StorageError) {
            secret = try codec.openSecret(of: reader.records[index], reader: reader.contents.reader)
        } catch {
            switch error.code {
            case .damaged: report.damagedCount += 1
            case .tokenGone where try isDamaged(reader.records[index], partition): report.damagedCount += 1
            // A sign-out or a change of keys erased it in the meantime: a document without it must not look complete.
            case .tokenGone:
                wasOvertaken = true
                throw StorageError(.busy, detail: "the group changed during the export")
            default: throw error
            }
            return
        }
        let written = newKey.map { facts.under($0) } ?? facts
        if let secret = consume secret {
            try write(written, payload: secret.bytes)
        } else {
            try write(written, payload: RawSpan())
        }
        report.entryCounts[CachedEntryKind(facts.kind), default: 0] += 1
        try meter.note(completedBytes: Int(buffer.byteCount), entryCount: report.entryCount)
    }

    private mutating func write(_ facts: EntryFacts, payload: RawSpan) throws(StorageError) {
        try emit { (writer, buffer) throws(DocumentError<StorageError>) in
            try writer.write(facts, payload: payload) { (bytes) throws(StorageError) in try buffer.append(bytes) }
        }
    }

    private mutating func finish() throws(StorageError) {
        try emit { (writer, buffer) throws(DocumentError<StorageError>) in
            try writer.finish { (bytes) throws(StorageError) in try buffer.append(bytes) }
        }
        try meter.enter(.finishing, completedBytes: Int(buffer.byteCount), entryCount: report.entryCount)
        try buffer.finish()
    }

    private mutating func emit(
        _ body: (inout DocumentWriter, inout ExportBuffer) throws(DocumentError<StorageError>) -> Void
    ) throws(StorageError) {
        do throws(DocumentError<StorageError>) {
            try body(&writer, &buffer)
        } catch {
            throw StorageError(error)
        }
    }
}

extension StorageError {
    /// The error of what a document is made of, or of where it goes to or comes from.
    init(_ error: DocumentError<StorageError>) {
        switch error {
        case .schema(let error): self.init(stored: error)
        case .transport(let error): self = error
        }
    }
}

extension DocumentSection {
    /// The kinds of entries that the section may contain, except opaque ones.
    fileprivate var kinds: [EntryKind] {
        switch self {
        case .accessToken, .accessTokenWithAuthScheme: [.accessToken, .accessTokenWithAuthScheme]
        case .refreshToken: [.refreshToken, .familyRefreshToken, .primaryRefreshToken, .boundRefreshToken]
        case .idToken: [.idToken, .v1IDToken]
        case .account: [.account]
        case .appMetadata: [.appMetadata]
        case .accountMetadata: [.accountMetadata]
        }
    }
}
