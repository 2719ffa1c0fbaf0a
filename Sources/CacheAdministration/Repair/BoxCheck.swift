// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupRecords
internal import RecordStorage
internal import Sealing
internal import TokenCaching
internal import UnifiedSchema

/// Opens the boxes of a record, to verify that they belong to it and that their content is readable.
enum BoxCheck {
    struct Fault {
        let rule: String
        var isDamage = true
    }

    /// The damage of a record; nil if there is none.
    static func fault(_ index: Int, _ reader: PartitionReader) throws(StorageError) -> Fault? {
        let record = reader.records[index]
        var pool = FieldPool.none
        let reading = try reader.read(index) { (bytes) throws(StorageError) in
            _ = try OpenedFacts(record, bytes, sharing: &pool)
        }
        if case .unreadable(let fault) = reading { return Fault(fault) }
        do throws(StorageError) {
            let payload = try reader.codec.openSecret(of: record, reader: reader.contents.reader)
            if let payload, !isPayload(payload) { return Fault(rule: "the secret of an entry is malformed") }
            return nil
        } catch {
            switch error.code {
            case .damaged: return Fault(rule: "the secret of an entry does not verify")
            case .tokenGone:
                return Fault(rule: "the secret of an entry was erased, but the entry still exists")
            default: throw error
            }
        }
    }

    private static func isPayload(_ payload: borrowing SecretBytes) -> Bool {
        (try? SecretPayload.values(in: payload.bytes)) != nil
    }
}

extension BoxCheck.Fault {
    fileprivate init(_ fault: RecordFault) {
        switch fault {
        case .missing: rule = "the facts of an entry cannot be read"
        case .damaged: rule = "the facts of an entry do not verify"
        case .newerVersion:
            rule = "an entry was written by a newer version of this program"
            isDamage = false
        }
    }
}

extension VerificationReport.Finding {
    init(_ fault: BoxCheck.Fault, record: RecordTag, partition: PartitionTag) {
        self.init(
            description: fault.rule,
            entryHandle: EntryHandle(record),
            accountHandle: AccountHandle(partition),
            isDamage: fault.isDamage
        )
    }
}
