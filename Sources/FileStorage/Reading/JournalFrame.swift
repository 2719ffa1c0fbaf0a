// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage

/// A frame whose lead and head verify and whose parts are consistent.
struct JournalFrame: Sendable {
    let lead: FrameLead
    let head: FrameHead
    /// The file offset of the frame.
    let offset: UInt64

    /// Whether the lead does not verify, so that the trailer, a copy of it, was used.
    var isLeadDamaged = false
    private let trailerByteCount: UInt64

    var end: UInt64 { offset + lead.frameByteCount }
    /// The end of its secret boxes and the zeros that follow them.
    var secretsEnd: UInt64 { end - trailerByteCount }
    /// The file offset of its facts boxes.
    var factsOffset: UInt64 { offset + UInt64(FrameLead.byteCount) + UInt64(lead.headByteCount) }
    /// The file offset of its secret boxes.
    var secretsOffset: UInt64 { offset + lead.secretsOffset }

    /// `nil` if the boxes listed in the head do not fit the frame, or a number is out of range.
    init?(lead: FrameLead, head: FrameHead, offset: UInt64, in header: JournalHeader) {
        self.lead = lead
        self.head = head
        self.offset = offset
        trailerByteCount = header.trailerByteCount
        guard head.deadByteCount < JournalFormat.largestNumber, factsOffset <= secretsOffset,
            trailerByteCount <= lead.frameByteCount, lead.secretsOffset <= lead.frameByteCount - trailerByteCount
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
        guard facts <= secretsOffset - factsOffset, secrets <= secretsEnd - secretsOffset else {
            return nil
        }
    }
}
