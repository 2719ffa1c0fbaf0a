internal import ByteOperations
internal import GroupRecords
internal import RecordStorage
internal import Sealing
internal import UnifiedSchema

/// Opens the boxes of one record, to see that each is what the record says, and that what is in it can be read.
struct BoxCheck {
    let codec: RecordCodec

    struct Fault {
        let rule: String
        var isDamage = true
    }

    /// What is wrong with a record; nil where nothing is.
    func fault(
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

extension VerificationSummary.Finding {
    init(_ fault: BoxCheck.Fault, record: RecordTag, partition: PartitionTag) {
        self.init(
            description: fault.rule,
            entryHandle: EntryHandle(record).description,
            accountHandle: AccountHandle(partition).description,
            isDamage: fault.isDamage
        )
    }
}
