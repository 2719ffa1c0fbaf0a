// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage
internal import UnifiedSchema

/// Reuses rows from older facts of the same partition: a record version is immutable, so its previously decoded row is
/// still valid.
struct RowReuse {
    private let facts: PartitionFacts
    /// The new symbol of each old one; none until a row needs it.
    private var symbols: [Symbol]

    init(_ facts: PartitionFacts) {
        self.facts = facts
        symbols = Array(repeating: .none, count: facts.symbolCount)
    }

    /// The row of a record; nil if this version of it was not read before.
    mutating func row(of record: StoredRecord, _ table: inout SymbolTable) -> FactsRow? {
        guard let index = facts.index(of: record) else { return nil }
        var row = facts.row(index)
        row.mapSymbols { symbol($0, &table) }
        return row
    }

    /// Adds the owner of the row's entry.
    func readOwner(of record: StoredRecord, _ owner: inout PartitionOwner) {
        guard let index = facts.index(of: record) else { return }
        owner.take(facts.row(index), of: facts)
    }

    private mutating func symbol(_ old: Symbol, _ table: inout SymbolTable) -> Symbol {
        let index = Int(old.index)
        guard index < symbols.count else { return old }
        if symbols[index].isNone { symbols[index] = table.symbol(copying: facts.span(old)) }
        return symbols[index]
    }
}

extension PartitionFacts {
    /// The row of this version of a record, unless it is isolated.
    func index(of record: StoredRecord) -> Int? {
        var (low, high) = (0, rows.count)
        while low < high {
            let middle = low + (high - low) / 2
            if rows[middle].tag < record.tag { low = middle + 1 } else { high = middle }
        }
        guard low < rows.count, rows[low].tag == record.tag, rows[low].sequence == record.sequence,
            rows[low].kind == record.kind, rows[low].secret == record.secret, !rows[low].isIsolated
        else { return nil }
        return low
    }
}
