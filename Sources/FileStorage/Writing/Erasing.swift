internal import ByteOperations
internal import GroupDirectory
internal import RecordStorage

/// Carries out what transactions wanted overwritten. The caller holds the writer's lock.
struct Erasing {
    let generation: Generation
    /// Where the last frame ends.
    let end: UInt64

    /// Overwrites what is not overwritten yet, and makes that durable.
    func complete(_ erasures: [JournalState.Erasure]) throws(StorageError) {
        let puncher = HolePuncher(file: generation.file, end: end)
        var ranges = puncher.ranges(of: erasures.flatMap(\.locations))
        if let frame = erasures.compactMap(\.everythingBefore).max() { ranges += try secretRanges(before: frame) }
        try puncher.erase(ranges)
    }

    /// The same in a file that has no name any more: others may have it open, and its blocks lie on the disk. What fails
    /// is no failure of what took its place.
    func completeInReplaced(_ erasures: [JournalState.Erasure]) {
        try? complete(erasures)
    }

    /// Where all secret boxes before a frame lie: those of the snapshot and those of the frames before it.
    private func secretRanges(before frame: UInt64) throws(StorageError) -> [Range<UInt64>] {
        let header = generation.header
        var ranges = [UInt64(JournalHeader.byteCount)..<header.blocksOffset]
        var offset = header.framesOffset
        while offset < frame {
            let bytes = try generation.file.read(at: offset, count: FrameLead.byteCount)
            let lead = try FrameLead.verified(in: bytes.rawSpan, at: 0, keys: generation.keys, journal: header.journal)
            guard let lead, lead.frameByteCount <= frame - offset else {
                throw StorageError(
                    .damaged,
                    path: generation.file.path,
                    detail: "a frame does not verify (byte \(offset))"
                )
            }
            ranges.append(offset + lead.secretsOffset..<offset + lead.frameByteCount)
            offset += lead.frameByteCount
        }
        return ranges
    }
}
