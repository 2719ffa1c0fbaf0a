internal import UnifiedSchema

/// Gives each way of keeping entries apart one number while the facts of a partition are read.
struct IsolationTable {
    private(set) var all: [Isolation<Symbol>] = []
    private var numbers: [Isolation<Symbol>: UInt16] = [:]

    /// The number of what an entry is kept apart by, from 1 on; 0 for a plain entry.
    ///
    /// Where the numbers run out, one that belongs to nothing: such an entry serves no query, which is better than the
    /// wrong one.
    mutating func number(of fields: CredentialFields, _ symbols: inout SymbolTable) -> UInt16 {
        if fields.isolation.isNone { return 0 }
        let isolation = fields.isolation.comparable.map { symbols.symbol($0) }
        if let known = numbers[isolation] { return known }
        guard all.count < UInt16.max - 1 else { return .max }
        all.append(isolation)
        let number = UInt16(all.count)
        numbers[isolation] = number
        return number
    }
}
