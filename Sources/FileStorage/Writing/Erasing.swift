// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupDirectory
internal import RecordStorage

/// Overwrites secrets that transactions erased, and what opens a replaced journal. The caller holds the writer's lock.
struct Erasing {
    let generation: Generation
    /// The end of the last frame. Writes stop there, so that the file does not grow.
    let end: UInt64

    private var file: CheckedFile { generation.file }

    /// Durably overwrites what is not overwritten yet. Can be repeated.
    func complete(_ erasures: [JournalState.Erasure]) throws(StorageError) {
        if try overwriteBoxes(of: erasures) { try file.syncErased() }
    }

    /// Does the same in a file that another one has durably replaced, and overwrites its header and the header's copy.
    /// The file has no name any more, but its blocks stay on the disk. Its key slots are what keys that are replaced
    /// later, or were replaced with it, would open. Errors are ignored, so as not to fail the replacement.
    func completeInReplaced(_ erasures: [JournalState.Erasure]) {
        // The slots first, since without them and their secrets nothing in the file opens.
        try? generation.header.overwrite(in: file)
        _ = try? overwriteBoxes(of: erasures)
        try? file.syncErased()
    }

    /// - Returns: whether anything was written.
    private func overwriteBoxes(of erasures: [JournalState.Erasure]) throws(StorageError) -> Bool {
        var hasWritten = false
        for erasure in erasures {
            for range in try ranges(of: erasure) where try !isErased(range) {
                try overwrite(range)
                hasWritten = true
            }
        }
        return hasWritten
    }

    /// What an erased box becomes: zeros. They are written from its start, since a reader treats a box that starts with
    /// zeros as erased.
    private func overwrite(_ range: Range<UInt64>) throws(StorageError) { try file.overwrite(range) }

    /// Whether the whole range is overwritten. An interrupted erasure may have left zeros at only one end.
    private func isErased(_ range: Range<UInt64>) throws(StorageError) -> Bool {
        var offset = range.lowerBound
        while offset < range.upperBound {
            let bytes = try file.read(at: offset, count: Int(min(256 << 10, range.upperBound - offset)))
            if bytes.isEmpty { break }
            if !bytes.rawSpan.isZero { return false }
            offset += UInt64(bytes.count)
        }
        return true
    }

    /// The ranges to overwrite, without impossible ones.
    private func ranges(of erasure: JournalState.Erasure) throws(StorageError) -> [Range<UInt64>] {
        var ranges = erasure.locations.map { $0.offset..<$0.offset + UInt64($0.length) }
        if let frame = erasure.everythingBefore { ranges += try secretRanges(before: frame) }
        return ranges.filter {
            !$0.isEmpty && $0.lowerBound >= UInt64(JournalHeader.byteCount) && $0.upperBound <= end
        }
    }

    /// The ranges of all secret boxes before a frame, in the snapshot and the preceding frames.
    private func secretRanges(before frame: UInt64) throws(StorageError) -> [Range<UInt64>] {
        let header = generation.header
        var ranges = [header.boxesOffset..<header.blocksOffset]
        let start = TailReader.Cursor(end: header.framesOffset, sequence: header.baseSequence)
        let size = try file.currentStatus().identity.size
        let end = try TailReader(generation: generation, note: nil).read(from: start, fileByteCount: size) { found in
            if found.offset < frame { ranges.append(found.secretsOffset..<found.secretsEnd) }
        }.cursor.end
        guard end >= frame else {
            throw StorageError(.damaged, path: file.path, detail: "a frame does not verify (byte \(end))")
        }
        return ranges
    }
}

extension JournalHeader {
    /// Overwrites this header and its copy in a file that was replaced. Does not sync.
    func overwrite(in file: CheckedFile) throws(StorageError) {
        for offset in [0, copyOffset] { try file.overwrite(offset..<offset + UInt64(Self.byteCount)) }
    }
}
