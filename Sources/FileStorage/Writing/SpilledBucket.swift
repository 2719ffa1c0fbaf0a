internal import RecordStorage

/// The rows of one bucket, read back and put in order: the last operation on each record, by partition and tag.
struct SpilledBucket {
    private let bytes: [UInt8]
    /// In ascending order of partition, then tag.
    let rows: [SpilledRow]
    /// Secret boxes that were written for records which a later operation of the same transaction replaced or removed.
    let superseded: [BoxPlace]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var all: [(row: SpilledRow, number: Int)] = []
        var offset = 0
        while offset < bytes.count {
            all.append((SpilledRow(in: bytes.raw, at: &offset), all.count))
        }
        all.sort { left, right in
            (left.row.partition, left.row.tag, left.number) < (right.row.partition, right.row.tag, right.number)
        }
        var rows: [SpilledRow] = []
        var superseded: [BoxPlace] = []
        rows.reserveCapacity(all.count)
        for (row, _) in all {
            if let last = rows.last, last.tag == row.tag, last.partition == row.partition {
                if let place = last.record?.stored.secret, place.length > 0 { superseded.append(place) }
                rows[rows.count - 1] = row
            } else {
                rows.append(row)
            }
        }
        self.rows = rows
        self.superseded = superseded
    }

    /// The facts box of a row.
    func facts(of row: SpilledRow) -> [UInt8] { Array(bytes[row.facts]) }
}
