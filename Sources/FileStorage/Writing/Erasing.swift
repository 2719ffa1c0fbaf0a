// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupDirectory
internal import RecordStorage

/// Performs the erasures that transactions requested. The caller holds the writer's lock.
struct Erasing {
    let generation: Generation
    /// The end of the last frame.
    let end: UInt64

    /// Durably overwrites what is not overwritten yet.
    func complete(_ erasures: [JournalState.Erasure]) throws(StorageError) {
        let puncher = HolePuncher(file: generation.file, end: end)
        var ranges = puncher.ranges(of: erasures.flatMap(\.locations))
        if let frame = erasures.compactMap(\.everythingBefore).max() { ranges += try secretRanges(before: frame) }
        try puncher.erase(ranges)
    }

    /// Does the same in a replaced file, which has no name any more but may be open in other processes and still has
    /// blocks on the disk. Errors are ignored, so as not to fail the replacement.
    func completeInReplaced(_ erasures: [JournalState.Erasure]) {
        try? complete(erasures)
    }

    /// The ranges of all secret boxes before a frame, in the snapshot and the preceding frames.
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
