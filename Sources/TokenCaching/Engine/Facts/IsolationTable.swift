internal import UnifiedSchema

/// Gives each way of keeping entries apart one number while the facts of a partition are read.
struct IsolationTable {
    private(set) var all: [Isolation] = []
    private var numbers: [Isolation: UInt16] = [:]

    /// The number of what an entry is kept apart by, from 1 on; 0 for a plain entry.
    ///
    /// Where the numbers run out, one that belongs to nothing: such an entry serves no query, which is better than the
    /// wrong one.
    mutating func number(of fields: CredentialFields, _ symbols: inout SymbolTable) -> UInt16 {
        let key = IsolationKey(fields)
        if key.isPlain { return 0 }
        let isolation = Isolation(
            claims: symbols.symbol(key.claims),
            extendedKey: symbols.symbol(key.extendedKey),
            application: symbols.symbol(key.application),
            assertion: symbols.symbol(key.assertionHash)
        )
        if let known = numbers[isolation] { return known }
        guard all.count < UInt16.max - 1 else { return .max }
        all.append(isolation)
        let number = UInt16(all.count)
        numbers[isolation] = number
        return number
    }
}
