// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import RecordStorage
internal import Sealing

/// Seals the store's own structures (indexes, heads) in chunks. Chunks limit the memory needed, and each opens only at
/// its own position.
struct SealedChunks {
    /// The kind of sealed structure: eight ASCII characters, the first in the lowest byte.
    enum Label: UInt64 {
        /// stc.indx
        case index = 0x7864_6E69_2E63_7473
        /// stc.blck
        case block = 0x6B63_6C62_2E63_7473
        /// stc.fram
        case frame = 0x6D61_7266_2E63_7473
    }

    /// The number of plaintext bytes of every chunk except the last.
    static let chunkByteCount = 65_536
    static let sealedChunkByteCount = chunkByteCount + AEAD.overhead

    let label: Label
    let journal: JournalID
    let epoch: UInt32
    /// The file offset of an index or a block; the sequence of a frame.
    let location: UInt64
    /// The length of the sealed index, the block or the frame.
    let size: UInt64

    /// The number of chunks of a plaintext of this length.
    static func chunkCount(plaintextByteCount count: Int) -> Int {
        max(1, (count + chunkByteCount - 1) / chunkByteCount)
    }

    static func sealedByteCount(plaintextByteCount count: Int) -> Int {
        count + AEAD.overhead * chunkCount(plaintextByteCount: count)
    }

    /// The number of chunks of a sealed structure of this length, or `nil` if none has this length.
    static func chunkCount(sealedByteCount count: Int) -> Int? {
        guard count >= AEAD.overhead else { return nil }
        let chunks = (count + sealedChunkByteCount - 1) / sealedChunkByteCount
        let last = count - (chunks - 1) * sealedChunkByteCount
        guard last > AEAD.overhead || (last == AEAD.overhead && chunks == 1) else { return nil }
        return chunks
    }

    /// The associated data of chunk `number`.
    private func associatedData(_ number: Int, of count: Int) -> InlineArray<7, UInt64> {
        [
            label.rawValue.littleEndian, journal.first.littleEndian, journal.second.littleEndian,
            UInt64(epoch).littleEndian,
            location.littleEndian, size.littleEndian, (UInt64(number) | UInt64(count) << 32).littleEndian,
        ]
    }

    /// Seals one chunk.
    func seal(
        _ plaintext: RawSpan,
        number: Int,
        of count: Int,
        key: borrowing SealingKey,
        nonces: inout NonceBatch
    ) throws(StorageError) -> [UInt8] {
        let data = associatedData(number, of: count)
        return try sealing(try AEAD.seal(plaintext, key: key, authenticating: data.rawSpan, nonces: &nonces))
    }

    /// Opens one chunk.
    func open(
        _ box: RawSpan,
        number: Int,
        of count: Int,
        key: borrowing SealingKey
    ) throws(StorageError) -> [UInt8] {
        let data = associatedData(number, of: count)
        return try sealing(
            damage: "sealed data does not verify",
            try AEAD.openPublic(box, key: key, authenticating: data.rawSpan)
        )
    }

    /// Seals a whole plaintext.
    func seal(_ plaintext: RawSpan, key: borrowing SealingKey) throws(StorageError) -> [UInt8] {
        var nonces = NonceBatch(count: Self.chunkCount(plaintextByteCount: plaintext.byteCount))
        return try seal(plaintext, key: key, nonces: &nonces)
    }

    /// Seals a whole plaintext with nonces from a batch shared with others, one for each chunk.
    func seal(
        _ plaintext: RawSpan,
        key: borrowing SealingKey,
        nonces: inout NonceBatch
    ) throws(StorageError) -> [UInt8] {
        let count = Self.chunkCount(plaintextByteCount: plaintext.byteCount)
        if count == 1 { return try seal(plaintext, number: 0, of: 1, key: key, nonces: &nonces) }
        var sealed: [UInt8] = []
        sealed.reserveCapacity(Self.sealedByteCount(plaintextByteCount: plaintext.byteCount))
        for number in 0..<count {
            let start = number * Self.chunkByteCount
            let piece = plaintext.extracting(start..<min(plaintext.byteCount, start + Self.chunkByteCount))
            sealed += try seal(piece, number: number, of: count, key: key, nonces: &nonces)
        }
        return sealed
    }

    /// Opens a whole sealed structure.
    func open(_ sealed: RawSpan, key: borrowing SealingKey) throws(StorageError) -> [UInt8] {
        guard let count = Self.chunkCount(sealedByteCount: sealed.byteCount) else {
            throw StorageError(.damaged, detail: "a sealed part has an impossible length")
        }
        if count == 1 { return try open(sealed, number: 0, of: 1, key: key) }
        var plaintext: [UInt8] = []
        plaintext.reserveCapacity(sealed.byteCount - count * AEAD.overhead)
        for number in 0..<count {
            let start = number * Self.sealedChunkByteCount
            let piece = sealed.extracting(start..<min(sealed.byteCount, start + Self.sealedChunkByteCount))
            plaintext += try open(piece, number: number, of: count, key: key)
        }
        return plaintext
    }
}
