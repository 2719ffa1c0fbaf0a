// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupDirectory
internal import RecordStorage
internal import Sealing
internal import SystemPackage

/// Writes a new journal beside the old one: first all secret boxes, then the partitions in ascending order of tag, then
/// the index. Needs memory only for the index and one buffer. The file is removed unless it gets installed.
final class SnapshotWriter {
    let temporary: TemporaryFile
    private let keys: JournalKeys
    private var header: JournalHeader
    private let output: SequentialWriter
    private var index = SnapshotIndexBuilder()
    private var hasBegunBlocks = false

    /// Begins a journal with the group, slots, fields and sequence of `header`; the id, the hash of the group's name and
    /// offsets are filled in here.
    init(in directory: GroupDirectory, header: JournalHeader, keys: JournalKeys) throws(StorageError) {
        self.header = header
        self.keys = keys
        self.header.journal = .random()
        self.header.epoch = keys.epoch
        try self.header.bind(to: directory.name, keys: keys)
        temporary = try directory.makeTemporary()
        output = SequentialWriter(temporary.file, from: JournalFormat.boxesOffset)
    }

    /// Adds a secret box, before the first partition.
    func appendSecret(_ box: RawSpan) throws(StorageError) -> BoxLocation {
        precondition(!hasBegunBlocks, "secret boxes come first")
        if box.byteCount == 0 { return .none }
        let location = BoxLocation(offset: output.position, length: UInt32(box.byteCount))
        try output.append(box)
        return location
    }

    /// Copies secret boxes from another file, before the first partition.
    ///
    /// - Returns: their new offset.
    func copySecrets(
        from file: CheckedFile,
        at offset: UInt64,
        count: UInt64,
        isCancelled: () -> Bool
    ) throws(StorageError) -> UInt64 {
        precondition(!hasBegunBlocks, "secret boxes come first")
        let start = output.position
        var done: UInt64 = 0
        while done < count {
            let piece = try file.read(at: offset + done, count: Int(min(count - done, 1 << 20)))
            guard !piece.isEmpty else {
                throw StorageError(.damaged, path: file.path, detail: "the file ends within a box")
            }
            try output.append(piece)
            done += UInt64(piece.count)
            if isCancelled() { throw SnapshotBuilder.cancelled }
        }
        return start
    }

    /// Adds the next partitions.
    func append(_ chunk: SnapshotChunk) throws(StorageError) {
        try beginBlocks()
        // The heads are already encoded, so the number of nonces is known.
        let count = chunk.blocks.reduce(0) { $0 + SealedChunks.chunkCount(plaintextByteCount: $1.head.count) }
        var nonces = NonceBatch(count: count)
        for block in chunk.blocks {
            let head = chunk.heads.rawSpan.extracting(block.head)
            try append(block, head: head, facts: chunk.facts.rawSpan.extracting(block.facts), &nonces)
        }
    }

    private func append(
        _ block: SnapshotChunk.Block,
        head: RawSpan,
        facts: RawSpan,
        _ nonces: inout NonceBatch
    ) throws(StorageError) {
        let headByteCount = SealedChunks.sealedByteCount(plaintextByteCount: head.byteCount)
        let byteCount = (BlockLead.byteCount + headByteCount + facts.byteCount).roundedUp(to: 8)
        guard byteCount <= Int(Int32.max) else {
            throw StorageError(.tooLarge, detail: "a partition of \(byteCount) bytes")
        }
        let offset = output.position
        let chunks = SealedChunks(
            label: .block,
            journal: header.journal,
            epoch: header.epoch,
            location: offset,
            size: UInt64(byteCount)
        )
        let lead = BlockLead(headByteCount: UInt32(headByteCount), blockByteCount: UInt32(byteCount))
        let sealed = try chunks.seal(head, key: keys.index, nonces: &nonces)
        try output.append(lead.encoded())
        try output.append(sealed)
        try output.append(facts)
        try output.align(to: 8)
        let row = SnapshotIndex.Row(
            tag: block.partition,
            blockOffset: offset,
            blockByteCount: UInt32(byteCount),
            recordCount: UInt32(block.recordCount)
        )
        index.append(row, searchTags: block.searchTags)
    }

    /// Writes index and header and makes the file durable, but not yet visible. `deadByteCount` is the size of the
    /// secret boxes that no record refers to.
    func finish(deadByteCount: UInt64 = 0) throws(StorageError) -> JournalHeader {
        try beginBlocks()
        let plaintext = index.encoded()
        index = SnapshotIndexBuilder()
        let count = SealedChunks.chunkCount(plaintextByteCount: plaintext.count)
        header.indexOffset = output.position
        header.indexByteCount = UInt64(SealedChunks.sealedByteCount(plaintextByteCount: plaintext.count))
        header.deadByteCount = deadByteCount
        let chunks = SealedChunks(
            label: .index,
            journal: header.journal,
            epoch: header.epoch,
            location: header.indexOffset,
            size: header.indexByteCount
        )
        var nonces = NonceBatch(count: count)
        for number in 0..<count {
            let start = number * SealedChunks.chunkByteCount
            let piece = plaintext.rawSpan.extracting(start..<min(plaintext.count, start + SealedChunks.chunkByteCount))
            let sealed = try chunks.seal(piece, number: number, of: count, key: keys.index, nonces: &nonces)
            try output.append(sealed)
        }
        let page = UInt64(JournalFormat.pageByteCount)
        let copyOffset = max(output.position.roundedUp(to: page), JournalFormat.smallestCopyOffset)
        header.framesOffset = copyOffset + page
        let encoded = try header.encoded(keys: keys)
        try output.skip(to: copyOffset)
        try output.append(encoded)
        try output.flush()
        try temporary.file.write(encoded.rawSpan, at: 0)
        let reserve = Preallocation(file: temporary.file, fileByteCount: header.framesOffset)
        try reserve.ensure(from: header.framesOffset, count: 0, mayUsePreallocation: true)
        try temporary.file.syncNewFile()
        return header
    }

    private func beginBlocks() throws(StorageError) {
        guard !hasBegunBlocks else { return }
        hasBegunBlocks = true
        try output.align(to: 8)
        header.blocksOffset = output.position
    }
}

extension CheckedFile {
    /// Makes a file durable before it is installed.
    func syncNewFile() throws(StorageError) {
        do throws(Errno) {
            try Syscalls.syncData(descriptor)
        } catch {
            throw StorageError(
                error == .noSpace ? .full : .system,
                path: path,
                detail: "the new file could not be synced and was not put in place",
                errno: error
            )
        }
    }
}
