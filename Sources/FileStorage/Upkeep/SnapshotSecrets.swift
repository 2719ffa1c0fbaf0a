internal import RecordStorage

/// Where the secrets of a snapshot lie, and which of them no row is left of: without it nothing tells whose they are.
struct SnapshotSecrets {
    private let area: Range<UInt64>
    private var known: [Range<UInt64>] = []
    private var isRowLost = false

    init(in header: JournalHeader, fileByteCount: UInt64) {
        let start = UInt64(JournalHeader.byteCount)
        area = start..<max(start, min(header.blocksOffset, fileByteCount))
    }

    /// Notes where the secrets of a partition lie, as far as it can be read.
    mutating func note(_ block: SalvagedBlocks.Block) {
        if block.unknownRowCount > 0 { isRowLost = true }
        for record in block.records where record.stored.secret.length > 0 {
            // What a row that nothing vouches for says of a secret counts where that opened.
            guard area.contains(record.stored.secret.offset), record.secretHash != .none else {
                isRowLost = true
                continue
            }
            known.append(range(of: record.stored.secret))
        }
    }

    /// What lies between the secrets whose rows are there, where rows are lost.
    ///
    /// - Parameters:
    ///   - isRowLost: whether it is known otherwise that some are.
    ///   - removed: places of secrets that nobody is to have again.
    /// - Returns: ranges of the file; none where all rows are there.
    func ofLostRows(orIf isRowLost: Bool, besides removed: Set<BoxLocation>) -> [Range<UInt64>] {
        guard isRowLost || self.isRowLost else { return [] }
        var lost: [Range<UInt64>] = []
        var position = area.lowerBound
        let rest = area.upperBound..<area.upperBound
        for range in HolePuncher.merged(known + removed.map { range(of: $0) }) + [rest] {
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
