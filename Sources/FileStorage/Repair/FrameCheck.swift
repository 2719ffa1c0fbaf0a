// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupDirectory
internal import RecordStorage

/// Checks both descriptions of each frame, and all its boxes, those of replaced versions too.
struct FrameCheck {
    let generation: Generation
    /// Damage to the descriptions.
    private(set) var findings: [JournalFinding] = []
    /// Damage to boxes, until it is known which of them belong to the newest versions.
    private(set) var boxes: [BoxLocation: JournalFinding] = [:]

    init(of generation: Generation) {
        self.generation = generation
    }

    /// Forgets a box of a newest version, which is reported as that.
    mutating func forget(_ location: BoxLocation) { boxes[location] = nil }

    /// The damage to replaced versions, in order.
    var replaced: [JournalFinding] { boxes.values.sorted { $0.offset < $1.offset } }

    mutating func check(_ frame: JournalFrame) throws(StorageError) {
        try checkEdges(of: frame)
        let checker = BoxChecker(file: generation.file, keys: generation.keys)
        var facts = frame.factsOffset
        var secret = frame.secretsOffset
        for case .put(let put) in frame.head.operations {
            let places = [
                (BoxLocation(offset: facts, length: put.factsByteCount), put.factsHash),
                (BoxLocation(offset: secret, length: put.secretByteCount), put.secretHash),
            ]
            for (location, hash) in places where try checker.check(location, hash).outcome == .damaged {
                boxes[location] = JournalFinding(
                    .replacedVersion,
                    at: location.offset,
                    count: UInt64(location.length),
                    partition: put.partition,
                    record: put.tag
                )
            }
            facts += UInt64(put.factsByteCount)
            secret += UInt64(put.secretByteCount)
        }
    }

    private mutating func checkEdges(of frame: JournalFrame) throws(StorageError) {
        let byteCount = FrameLead.byteCount
        var damaged = frame.isLeadDamaged ? frame.offset : nil
        if damaged == nil, frame.secretsEnd < frame.end {
            let bytes = try generation.file.read(at: frame.secretsEnd, count: byteCount)
            let trailer = try FrameLead.verified(
                .trailer,
                in: bytes.rawSpan,
                at: 0,
                keys: generation.keys,
                journal: generation.header.journal
            )
            if trailer != frame.lead { damaged = frame.secretsEnd }
        }
        if let damaged { findings.append(JournalFinding(.frameEdge, at: damaged, count: UInt64(byteCount))) }
    }
}
