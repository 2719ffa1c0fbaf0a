// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupDirectory
internal import RecordStorage

extension Generation {
    /// The first bytes in unused parts of the file that are not zeros: between the header and the secret boxes, and
    /// between the index and the copy of the header; `nil` if there are none.
    func gapFinding(fileByteCount: UInt64) throws(StorageError) -> JournalFinding? {
        let indexEnd = header.indexOffset + header.indexByteCount
        for gap in [UInt64(JournalHeader.byteCount)..<header.boxesOffset, indexEnd..<header.copyOffset] {
            if let finding = try gapFinding(in: gap.clamped(to: 0..<fileByteCount)) { return finding }
        }
        return nil
    }

    private func gapFinding(in gap: Range<UInt64>) throws(StorageError) -> JournalFinding? {
        var position = gap.lowerBound
        while let data = try file.data(from: position, to: gap.upperBound) {
            let count = Int(min(256 << 10, data.upperBound - data.lowerBound))
            let bytes = try file.read(at: data.lowerBound, count: count)
            if bytes.isEmpty { return nil }
            let end = bytes.rawSpan.byteCountWithoutLastZeros
            if let first = bytes[..<end].firstIndex(where: { $0 != 0 }) {
                return JournalFinding(.gap, at: data.lowerBound + UInt64(first), count: UInt64(end - first))
            }
            position = data.lowerBound + UInt64(bytes.count)
        }
        return nil
    }
}
