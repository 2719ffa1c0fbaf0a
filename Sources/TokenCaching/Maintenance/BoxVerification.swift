internal import RecordStorage
internal import Sealing
internal import UnifiedSchema

/// Opens every box of a group, to see that each is what its record says, and that what is in it can be read.
struct BoxVerification {
    private let store: any RecordStore
    private let codec: RecordCodec
    private var meter: ProgressMeter
    private var summary: VerificationSummary

    init(_ store: any RecordStore, codec: RecordCodec, summary: VerificationSummary, progress: ProgressHandler?) {
        self.store = store
        self.codec = codec
        self.summary = summary
        meter = ProgressMeter(progress, phase: .verifying, totalBytes: nil)
    }

    mutating func run(until deadline: Deadline) throws(TokenCacheError) -> VerificationSummary {
        var count = 0
        var byteCount = 0
        let partitions = try storing { () throws(StorageError) in try store.partitionsToRead(until: deadline) }
        for (partition, _) in partitions {
            let contents = try storing { () throws(StorageError) in
                try store.contents(of: partition, until: deadline)
            }
            for (record, box) in zip(contents.records, contents.facts) {
                if let fault = try storing({ () throws(StorageError) in try fault(record, box, contents.reader) }) {
                    summary.add(fault, record: record.tag, partition: partition)
                }
                count += 1
                byteCount += Int(record.facts.length) + Int(record.secret.length)
                try meter.note(completedBytes: byteCount, entryCount: count)
            }
        }
        summary.recordCount = count
        return summary
    }

    fileprivate struct Fault {
        let rule: String
        var isDamage = true
    }

    /// What is wrong with a record; nil where nothing is.
    private func fault(
        _ record: StoredRecord,
        _ box: [UInt8]?,
        _ reader: any BoxReader
    ) throws(StorageError) -> Fault? {
        guard let box else { return Fault(rule: "what is known of an entry cannot be read") }
        do throws(StorageError) {
            let sealer = try codec.keyring.sealer(epoch: reader.epoch)
            let facts = try codec.openFactsBytes(box.rawSpan, of: record, with: sealer)
            if !record.kind.isEngineRecord { _ = try codec.openFacts(box.rawSpan, of: record, epoch: reader.epoch) }
            if facts.isEmpty { return Fault(rule: "what is known of an entry is empty") }
        } catch {
            switch error.code {
            case .damaged: return Fault(rule: "what is known of an entry does not verify")
            case .unsupportedVersion:
                return Fault(rule: "an entry was written by a newer version of this program", isDamage: false)
            default: throw error
            }
        }
        do throws(StorageError) {
            if let payload = try codec.openSecret(of: record, reader: reader), !Self.isPayload(payload) {
                return Fault(rule: "the secret of an entry makes no sense")
            }
            return nil
        } catch {
            switch error.code {
            case .damaged: return Fault(rule: "the secret of an entry does not verify")
            case .tokenGone:
                return Fault(rule: "the secret of an entry was erased, and the entry is still there")
            default: throw error
            }
        }
    }

    private static func isPayload(_ payload: borrowing SecretBytes) -> Bool {
        (try? SecretPayload.values(in: payload.bytes)) != nil
    }
}

extension VerificationSummary {
    fileprivate mutating func add(_ fault: BoxVerification.Fault, record: RecordTag, partition: PartitionTag) {
        let handle = EntryHandle(record).description
        // The journal says so too where its own hashes do not match.
        guard !findings.contains(where: { $0.entryHandle == handle }) else { return }
        findings.append(
            Finding(
                description: fault.rule,
                entryHandle: handle,
                accountHandle: AccountHandle(partition).description,
                isDamage: fault.isDamage
            )
        )
    }
}
