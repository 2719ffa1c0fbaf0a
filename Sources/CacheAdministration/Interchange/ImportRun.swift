// SPDX-License-Identifier: Apache-2.0

internal import GroupDirectory
internal import GroupRecords
internal import RecordStorage
internal import Sealing
internal import TokenCaching
internal import UnifiedSchema

/// One import, from the first byte of a document to the transaction.
///
/// A document of up to 4 MiB is read and its addresses computed before the writer's lock is taken; under the lock,
/// entries are only compared, sealed and added. A larger one is read piece by piece under the lock, because sealing
/// needs the sequence of the transaction, which is known only there. Input from a pipe is stored first, so that no
/// process waits for its other end.
struct ImportRun: ~Copyable {
    /// Documents up to this size are prepared without the lock; the window for larger ones has the same size.
    static let windowByteCount = 4 << 20

    private static let smallestPayloadByteCount = 8 << 10

    private let codec: RecordCodec
    private let options: ImportOptions
    private var onProblem: ((ImportProblem) -> Void)?
    private var meter: ProgressMeter
    private var window: ImportWindow
    private var reader: DocumentReader
    private var merge: ImportMerge
    /// Shares field values that entries have in common.
    private var pool = FieldPool()
    /// Secret memory for the payload of an entry, reused for the next one.
    private var payload: SecretBytes?
    private var prepared: [PreparedEntry]?
    private var entryCount = 0
    private var badCount = 0
    private var firstProblem: SchemaError?

    private struct PreparedEntry {
        let entry: ImportedEntry
        let secrets: SecretRanges
    }

    /// Whether the whole document was read, and the handlers have received everything.
    var isPrepared: Bool { prepared != nil }

    /// The error of a document that is larger than the caller accepts.
    static func overLimit(_ detail: String) -> StorageError {
        StorageError(
            .tooLarge,
            detail: detail,
            advice: "Import a smaller document, or raise maximumByteCount (cachetool import --max-size)"
        )
    }

    init(
        _ source: any ByteSource,
        merge: ImportMerge,
        codec: RecordCodec,
        options: ImportOptions,
        onProblem: ((ImportProblem) -> Void)?,
        meter: ProgressMeter
    ) throws(StorageError) {
        if let total = source.totalByteCount, total > options.maximumByteCount {
            let detail = "the document has \(total) bytes, but at most \(options.maximumByteCount) are accepted"
            throw Self.overLimit(detail)
        }
        // One byte more than the known size, to detect the end of the document.
        let known = source.totalByteCount.map { Int(min($0, UInt64(Self.windowByteCount))) + 1 }
        let window = try ImportWindow(
            RelaxedSource(source),
            capacity: max(64 << 10, min(Self.windowByteCount, known ?? .max))
        )
        self.codec = codec
        self.options = options
        self.onProblem = onProblem
        self.meter = meter
        self.merge = merge
        self.window = window
        let form: DocumentForm = options.format == .adal ? .adal : .unified
        reader = DocumentReader(form, limits: options.limits, collectsBadEntries: true)
    }

    // MARK: - Without the lock

    /// Reads the document, if it is small enough. If it is larger and comes from a pipe, stores it in `directory`.
    ///
    /// - Parameter directory: the folder in which to store the rest of the input from a pipe.
    /// - Throws: errors of the document or its source.
    mutating func prepare(in directory: GroupDirectory?) throws(StorageError) {
        try window.fill()
        guard window.isAtEnd else {
            guard window.source.mayWait, let directory else { return }
            let limit = options.maximumByteCount - min(options.maximumByteCount, UInt64(Self.windowByteCount))
            window.source = try EncryptedTemporaryFile(window.source, in: directory, limit: limit, meter: &meter)
            return
        }
        var entries: [DocumentEntry] = []
        var issuers = merge.documentIssuers
        while true {
            let step: DocumentReader.Step
            do throws(SchemaError) {
                step = try Self.next(&reader, in: window)
            } catch {
                throw StorageError(document: error)
            }
            switch step {
            case .entry(let entry):
                try note(entry.byteOffset)
                guard accepts(entry.facts, entry.secrets, at: entry.byteOffset) else { continue }
                try issuers.note(entry.facts, entry.secrets, in: window.bytes)
                entries.append(entry)
            case .bad(let error):
                refuse(error)
            case .needsMore, .end:
                try checkProblems()
                try meter.enter(.finishing, completedBytes: Int(clamping: window.readByteCount), entryCount: entryCount)
                var prepared: [PreparedEntry] = []
                prepared.reserveCapacity(entries.count)
                for entry in entries {
                    for facts in try issuers.assigned(entry.facts, entry.secrets, in: window.bytes) {
                        prepared.append(PreparedEntry(entry: try imported(facts), secrets: entry.secrets))
                    }
                }
                self.prepared = prepared
                merge.documentIssuers = issuers
                return
            }
        }
    }

    private static func next(
        _ reader: inout DocumentReader,
        in window: borrowing ImportWindow
    ) throws(SchemaError) -> DocumentReader.Step {
        try reader.next(in: window.bytes, isLast: true)
    }

    // MARK: - Under the lock

    /// From now on, handlers run on another thread, so that processes waiting for the lock do not wait for handlers.
    mutating func pass(to relay: CallbackRelay) {
        onProblem = { relay.report($0) }
        meter.pass(to: relay)
    }

    /// Adds the entries to the transaction.
    mutating func put(into batch: any BatchWriter, context: CommitContext) throws(StorageError) {
        merge.begin(until: context.deadline)
        let output = EntryOutput(batch: batch, codec: codec, context: context)
        if let prepared {
            for item in prepared {
                try withPayload(item.secrets) { (merge, payload) throws(StorageError) in
                    try merge.take(item.entry, payload: payload, output: output)
                }
            }
            return try merge.finish(output)
        }
        try stream(into: output)
        try checkProblems()
        try merge.finish(output)
        try meter.enter(.finishing, completedBytes: Int(clamping: window.readByteCount), entryCount: entryCount)
    }

    private mutating func stream(into output: EntryOutput) throws(StorageError) {
        while true {
            let item: DocumentReader.Item?
            do throws(DocumentError<StorageError>) {
                item = try reader.next(from: &window)
            } catch {
                switch error {
                case .schema(let error): throw StorageError(document: error)
                case .transport(let error): throw error
                }
            }
            switch item {
            case .entry(let entry):
                try note(entry.byteOffset)
                // A bad entry that is not skipped prevents the import: the rest is read only to find other bad entries.
                guard accepts(entry.facts, entry.secrets, at: entry.byteOffset),
                    badCount == 0 || options.skipsBadEntries
                else { continue }
                try take(entry, output: output)
            case .bad(let error):
                refuse(error)
            case nil:
                return
            }
        }
    }

    /// Whether an entry fits in a record. One that does not is bad.
    private mutating func accepts(_ facts: EntryFacts, _ secrets: SecretRanges, at byteOffset: Int) -> Bool {
        let longest = RecordSealer.maximumPlaintextByteCount
        guard facts.encodedBytes.byteCount > longest || SecretPayload.byteCount(secrets) > longest else { return true }
        refuse(SchemaError(.limitExceeded, at: byteOffset, rule: "an entry is longer than the limit for a record"))
        return false
    }

    private mutating func imported(_ facts: EntryFacts) throws(StorageError) -> ImportedEntry {
        try ImportedEntry(facts, codec: codec, sharing: &pool)
    }

    private mutating func take(_ entry: DocumentEntry, output: EntryOutput) throws(StorageError) {
        if try merge.isIntoEmptyStore() {
            try withPayload(entry.secrets) { (merge, payload) throws(StorageError) in
                try merge.takeNew(entry.facts, payload: payload, output: output)
            }
        } else {
            let imported = try imported(entry.facts)
            try withPayload(entry.secrets) { (merge, payload) throws(StorageError) in
                try merge.take(imported, payload: payload, output: output)
            }
        }
    }

    private mutating func withPayload(
        _ secrets: SecretRanges,
        _ body: (inout ImportMerge, RawSpan) throws(StorageError) -> Void
    ) throws(StorageError) {
        guard !secrets.isEmpty else { return try body(&merge, RawSpan()) }
        var memory = try payloadMemory(SecretPayload.byteCount(secrets))
        let count = memory.overwrite { output in SecretPayload.write(secrets, of: window.bytes, into: &output) }
        try body(&merge, memory.bytes.extracting(0..<count))
        payload = consume memory
    }

    /// Memory for a payload: that of the previous payload, if it is large enough.
    private mutating func payloadMemory(_ byteCount: Int) throws(StorageError) -> SecretBytes {
        if let memory = payload.take(), memory.byteCount >= byteCount { return memory }
        let count = max(byteCount, Self.smallestPayloadByteCount)
        return try sealing(try SecretBytes(byteCount: count))
    }

    // MARK: - Problems and progress

    private mutating func refuse(_ error: SchemaError) {
        badCount += 1
        if firstProblem == nil { firstProblem = error }
        guard badCount <= options.maximumListedProblems else { return }
        onProblem?(ImportProblem(byteOffset: UInt64(error.byteOffset), line: error.line, rule: error.rule))
    }

    private func checkProblems() throws(StorageError) {
        guard let firstProblem, !options.skipsBadEntries else { return }
        let detail = badCount == 1 ? "one entry cannot be imported" : "\(badCount) entries cannot be imported"
        let code: StorageError.Code = firstProblem.code == .limitExceeded ? .tooLarge : .malformedDocument
        throw StorageError(code, detail: detail + ": " + firstProblem.rule, byteOffset: firstProblem.byteOffset)
    }

    private mutating func note(_ byteOffset: Int) throws(StorageError) {
        entryCount += 1
        try meter.note(completedBytes: byteOffset, entryCount: entryCount)
    }

    /// The results. Valid once the transaction is durable.
    var report: ImportReport {
        var report = merge.report
        report.badCount = badCount
        report.hasSections = reader.hasKnownSection
        report.byteCount = window.readByteCount
        return report
    }
}

extension ImportOptions {
    fileprivate var limits: DocumentLimits {
        var limits = DocumentLimits()
        limits.depth = min(maximumDepth, 128)
        limits.documentBytes = Int(min(maximumByteCount, UInt64(Int.max)))
        limits.entryBytes = min(maximumEntryByteCount, limits.entryBytes)
        return limits
    }
}
