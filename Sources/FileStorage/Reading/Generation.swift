// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupDirectory
internal import RecordStorage
internal import Sealing
internal import SystemPackage

/// An open journal file: its descriptor, its header and the index of its snapshot. Immutable; lives as long as boxes
/// may be read through it, so a location always refers to the file it was made for.
final class Generation: BoxReader {
    let file: CheckedFile
    let header: JournalHeader
    let keys: JournalKeys
    let index: SnapshotIndex
    let recentBlocks = RecentBlocks()

    var epoch: UInt32 { header.epoch }

    init(file: CheckedFile, header: JournalHeader, keys: JournalKeys, index: SnapshotIndex) {
        self.file = file
        self.header = header
        self.keys = keys
        self.index = index
    }

    /// Opens the header and index of a file that has just been opened; `nil` if its keys are not known.
    ///
    /// - Parameters:
    ///   - file: the journal.
    ///   - keyChain: provides its keys.
    ///   - deadline: for unlocking unknown keys; `nil` if they must not be unlocked.
    /// - Throws: ``StorageError/Code/damaged``, ``StorageError/Code/foreign``,
    ///   ``StorageError/Code/unsupportedVersion``.
    convenience init?(
        file: CheckedFile,
        keyChain: KeyChain,
        unlockingUntil deadline: Deadline? = nil
    ) throws(StorageError) {
        let bytes = try file.read(at: 0, count: JournalHeader.byteCount)
        do throws(StorageError) {
            let header = try JournalHeader(decoding: bytes.rawSpan)
            let keys: JournalKeys
            if let known = try keyChain.knownKeys(for: header, bytes: bytes.rawSpan) {
                keys = known
            } else if let deadline {
                keys = try keyChain.keys(for: header, bytes: bytes.rawSpan, until: deadline)
            } else {
                return nil
            }
            guard header.isConsistent(withFileOf: file.identity.size) else {
                throw StorageError(.damaged, detail: "the file is shorter than its header says")
            }
            let index = try Self.readIndex(file, header: header, keys: keys)
            self.init(file: file, header: header, keys: keys, index: index)
        } catch {
            throw error.at(file.path)
        }
    }

    /// Opens the index chunk by chunk, to avoid holding the whole ciphertext in memory beside the plaintext.
    static func readIndex(
        _ file: CheckedFile,
        header: JournalHeader,
        keys: JournalKeys
    ) throws(StorageError) -> SnapshotIndex {
        guard let count = Int(exactly: header.indexByteCount),
            let chunkCount = SealedChunks.chunkCount(sealedByteCount: count)
        else { throw StorageError(.damaged, detail: "the index is malformed") }
        let chunks = SealedChunks(
            label: .index,
            journal: header.journal,
            epoch: header.epoch,
            location: header.indexOffset,
            size: header.indexByteCount
        )
        var plaintext: [UInt8] = []
        var window = ReadWindow(file, limit: header.indexOffset + header.indexByteCount, readAhead: 1 << 20)
        for number in 0..<chunkCount {
            let start = number * SealedChunks.sealedChunkByteCount
            let length = min(SealedChunks.sealedChunkByteCount, count - start)
            guard let at = try window.load(at: header.indexOffset + UInt64(start), count: length) else {
                throw StorageError(.damaged, detail: "the file ends within its index")
            }
            let box = window.bytes.rawSpan.extracting(at..<at + length)
            let piece = try chunks.open(box, number: number, of: chunkCount, key: keys.index)
            // The first chunk authenticates the total length.
            if number == 0, chunkCount > 1 { plaintext.reserveCapacity(count - chunkCount * AEAD.overhead) }
            if chunkCount == 1 { plaintext = piece } else { plaintext += piece }
        }
        return try SnapshotIndex(decoding: plaintext)
    }

    /// What follows a transaction.
    enum Following {
        /// Zeros.
        case nothing
        /// The mark that the transaction was acknowledged, then zeros.
        case mark
        /// Anything else: another transaction was begun.
        case bytes
    }

    /// What `bytes`, which follow the transaction `sequence`, are.
    func following(_ bytes: RawSpan, after sequence: UInt64) throws(StorageError) -> Following {
        if bytes.isZero { return .nothing }
        let count = TailReader.markByteCount
        guard bytes.byteCount >= count, bytes.uint32(at: 0) != FrameLead.Edge.lead.rawValue,
            bytes.extracting(count..<bytes.byteCount).isZero
        else { return .bytes }
        let mark = try keys.mark(of: sequence, in: header.journal)
        return mark.isEqual(to: BoxHash(in: bytes, at: 0)) ? .mark : .bytes
    }

    var announcesRemovalsFirst: Bool { true }

    func withBox<Result>(
        at location: BoxLocation,
        _ body: (RawSpan) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        guard location.length > 0 else { return try body([UInt8]().rawSpan) }
        let box = try readBox(location)
        do throws(StorageError) {
            return try body(box.rawSpan)
        } catch {
            // Another process may have erased the box during the read.
            if error.code != .tokenGone { _ = try readBox(location) }
            throw error
        }
    }

    private func readBox(_ location: BoxLocation) throws(StorageError) -> [UInt8] {
        guard location.length <= JournalFormat.largestBoxByteCount else {
            throw StorageError(.damaged, path: file.path, detail: "a box of \(location.length) bytes")
        }
        let box: [UInt8]
        do throws(Errno) {
            box = try Syscalls.read(file.descriptor, at: location.offset, count: Int(location.length))
        } catch {
            throw StorageError(.damaged, path: file.path, detail: "a box cannot be read", errno: error)
        }
        guard box.count == Int(location.length) else {
            throw StorageError(.damaged, path: file.path, detail: "the file ends within a box")
        }
        if Self.isErased(box.rawSpan) { throw StorageError(.tokenGone, path: file.path) }
        return box
    }

    /// Whether a box was overwritten with zeros, at least in part: a box begins with a random nonce and ends with a
    /// tag, neither of which is ever all zeros.
    static func isErased(_ box: RawSpan) -> Bool {
        guard box.byteCount >= AEAD.overhead else { return box.isZero }
        return box.extracting(0..<16).isZero || box.extracting(box.byteCount - 16..<box.byteCount).isZero
    }
}

extension StorageError {
    /// This error with a path, if it has none.
    func at(_ path: String) -> StorageError {
        self.path == nil ? StorageError(code, path: path, detail: detail, advice: advice, errno: errno) : self
    }
}
