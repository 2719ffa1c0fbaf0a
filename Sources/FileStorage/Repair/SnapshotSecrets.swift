// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage

/// The locations of a snapshot's secrets, including those without a row, which can no longer be attributed to a record.
struct SnapshotSecrets {
    private let area: Range<UInt64>
    private var known: [Range<UInt64>] = []
    private var isRowLost = false

    init(in header: JournalHeader, fileByteCount: UInt64) {
        let start = UInt64(JournalHeader.byteCount)
        area = start..<max(start, min(header.blocksOffset, fileByteCount))
    }

    /// Records the locations of a partition's secrets, as far as it is readable.
    mutating func note(_ block: SalvagedBlocks.Block) {
        if block.unknownRowCount > 0 { isRowLost = true }
        for record in block.records where record.stored.secret.length > 0 {
            // A location from an unauthenticated row counts only if the secret opened there.
            guard area.contains(record.stored.secret.offset), record.secretHash != .none else {
                isRowLost = true
                continue
            }
            known.append(range(of: record.stored.secret))
        }
    }

    /// The ranges that may contain secrets of lost rows.
    ///
    /// - Parameters:
    ///   - isRowLost: whether rows are otherwise known to be lost.
    ///   - removed: the locations of secrets that must not be recovered.
    /// - Returns: ranges of the file; none if no row is missing.
    func ofLostRows(orIf isRowLost: Bool, besides removed: Set<BoxLocation>) -> [Range<UInt64>] {
        guard isRowLost || self.isRowLost else { return [] }
        var lost: [Range<UInt64>] = []
        var position = area.lowerBound
        let rest = area.upperBound..<area.upperBound
        for range in (known + removed.map { range(of: $0) }).merged() + [rest] {
            if position < range.lowerBound { lost.append(position..<range.lowerBound) }
            position = max(position, range.upperBound)
        }
        return lost
    }

    private func range(of location: BoxLocation) -> Range<UInt64> {
        let end = location.offset.addingReportingOverflow(UInt64(location.length))
        return (location.offset..<(end.overflow ? .max : end.partialValue)).clamped(to: area)
    }
}
