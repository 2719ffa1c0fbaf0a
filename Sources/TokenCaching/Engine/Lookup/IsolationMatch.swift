internal import UnifiedSchema

/// Which entries of a partition a query may get, as far as they are kept apart from others.
struct IsolationMatch {
    /// Whether plain entries only are asked for.
    private let isPlain: Bool
    private let wanted: Isolation<Symbol>

    private static let plain = Isolation(repeating: Symbol.none)

    init(_ terms: PreparedQuery, _ facts: PartitionFacts) {
        isPlain = terms.isolation == nil
        wanted =
            terms.isolation?.compared.map { $0.isEmpty ? .none : facts.symbol(terms.span($0)) } ?? IsolationMatch.plain
    }

    /// Whether an access token is kept apart by exactly what the query names.
    func isExact(_ row: FactsRow, of facts: PartitionFacts) -> Bool {
        isPlain ? !row.isIsolated : facts.isolation(of: row) == wanted
    }

    /// Whether a refresh token, or another entry that tells nothing of a resource, may be used for the query.
    func isOpen(_ row: FactsRow, of facts: PartitionFacts) -> Bool {
        if isPlain, !row.isIsolated { return true }
        guard let isolation = row.isIsolated ? facts.isolation(of: row) : IsolationMatch.plain else { return false }
        return isolation.serves(wanted, none: .none)
    }
}

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
