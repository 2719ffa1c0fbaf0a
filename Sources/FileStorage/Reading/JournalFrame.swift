internal import RecordStorage

/// A frame whose lead and head verify and whose parts fit together.
struct JournalFrame: Sendable {
    let lead: FrameLead
    let head: FrameHead
    /// Where it starts in the file.
    let offset: UInt64

    var end: UInt64 { offset + lead.frameByteCount }
    /// Where its facts boxes start in the file.
    var factsOffset: UInt64 { offset + UInt64(FrameLead.byteCount) + UInt64(lead.headByteCount) }
    /// Where its secret boxes start in the file.
    var secretsOffset: UInt64 { offset + lead.secretsOffset }

    /// `nil` where the boxes that the head announces do not fit, or it has numbers that no file has.
    init?(lead: FrameLead, head: FrameHead, offset: UInt64) {
        self.lead = lead
        self.head = head
        self.offset = offset
        // A repair reckons the place of the secrets from a head where the lead is spoiled.
        guard head.deadByteCount < JournalFormat.largestNumber, factsOffset <= secretsOffset,
            lead.secretsOffset <= lead.frameByteCount
        else { return nil }
        var facts: UInt64 = 0
        var secrets: UInt64 = 0
        for (number, operation) in head.operations.enumerated() {
            switch operation {
            case .put(let put):
                facts += UInt64(put.factsByteCount)
                secrets += UInt64(put.secretByteCount)
            case .remove(let remove):
                guard remove.locations.allSatisfy({ $0.offset < JournalFormat.largestNumber }) else { return nil }
            case .removeAll:
                guard number == 0 else { return nil }
            }
        }
        guard facts <= secretsOffset - factsOffset, secrets <= lead.frameByteCount - lead.secretsOffset else {
            return nil
        }
    }
}
