// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupDirectory
internal import RecordStorage

/// The parts of a journal that a repair does not keep. They are quarantined in one sparse file, at their original
/// offsets; holes, zeros and kept parts take no space in it.
struct UnkeptBytes {
    let file: CheckedFile
    /// The offset at which all parts end.
    let end: UInt64
    private var ranges: [Range<UInt64>] = []

    init(of file: CheckedFile, end: UInt64) {
        self.file = file
        self.end = end
    }

    mutating func add(_ range: Range<UInt64>) {
        let range = range.clamped(to: 0..<end)
        if !range.isEmpty { ranges.append(range) }
    }

    /// The number of bytes to quarantine.
    func byteCount() throws(StorageError) -> UInt64 {
        var count: UInt64 = 0
        try forEachPiece { bytes, _ in
            count += UInt64(bytes.byteCount)
            return true
        }
        return count
    }

    private func isEmpty() throws(StorageError) -> Bool {
        var isEmpty = true
        try forEachPiece { _, _ in
            isEmpty = false
            return false
        }
        return isEmpty
    }

    /// Writes the parts to the quarantine, durably.
    ///
    /// - Returns: the name of the file in the quarantine and the number of bytes; `nil` if all parts are empty.
    func setAside(in directory: GroupDirectory) throws(StorageError) -> (name: String, byteCount: UInt64)? {
        var count: UInt64 = 0
        // Avoid an empty file, which would suggest that bytes were quarantined.
        if try isEmpty() { return nil }
        let name = try directory.quarantine(label: "journal") { aside throws(StorageError) in
            try forEachPiece { bytes, offset throws(StorageError) in
                try aside.write(bytes, at: offset)
                count += UInt64(bytes.byteCount)
                return true
            }
        }
        return (name, count)
    }

    private static let pieceByteCount: UInt64 = 4096
    private static let readByteCount: UInt64 = 1 << 20

    /// Passes every piece that is not all zeros to `body`, in order, with its offset, until `body` returns false.
    private func forEachPiece(
        _ body: (_ bytes: RawSpan, _ offset: UInt64) throws(StorageError) -> Bool
    ) throws(StorageError) {
        for range in ranges.merged() {
            var offset = range.lowerBound
            while let data = try file.data(from: offset, to: range.upperBound) {
                offset = data.lowerBound
                let bytes = try file.read(at: offset, count: Int(min(data.upperBound - offset, Self.readByteCount)))
                if bytes.isEmpty { break }
                let end = offset + UInt64(bytes.count)
                while offset < end {
                    let next = min((offset + 1).roundedUp(to: Self.pieceByteCount), end)
                    let start = bytes.count - Int(end - offset)
                    let piece = bytes.rawSpan.extracting(start..<start + Int(next - offset))
                    if !piece.isZero {
                        let wantsMore = try body(piece, offset)
                        if !wantsMore { return }
                    }
                    offset = next
                }
            }
        }
    }
}
