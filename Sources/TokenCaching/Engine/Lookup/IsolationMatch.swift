// SPDX-License-Identifier: Apache-2.0

internal import UnifiedSchema

/// Which entries of a partition match a query's isolation.
struct IsolationMatch {
    /// Whether only plain entries match.
    private let isPlain: Bool
    private let isOpenToAll: Bool
    private let wanted: Isolation<Symbol>

    private static let plain = Isolation(repeating: Symbol.none)

    init(_ terms: PreparedQuery, _ facts: PartitionFacts) {
        isPlain = terms.isolation == nil
        isOpenToAll = terms.matchesAllRefreshTokens
        wanted =
            terms.isolation?.compared.map { $0.isEmpty ? .none : facts.symbol(terms.span($0)) } ?? IsolationMatch.plain
    }

    /// Whether an access token has exactly the isolation that the query gives.
    func isExact(_ row: FactsRow, of facts: PartitionFacts) -> Bool {
        isPlain ? !row.isIsolated : facts.isolation(of: row) == wanted
    }

    /// Whether a refresh token, or another entry that is not bound to a resource, may be used for the query.
    func isOpen(_ row: FactsRow, of facts: PartitionFacts) -> Bool {
        if isPlain && !row.isIsolated || isOpenToAll { return true }
        guard let isolation = row.isIsolated ? facts.isolation(of: row) : IsolationMatch.plain else { return false }
        return isolation.serves(wanted, none: .none)
    }
}

/// Assigns a number to each isolation while the facts of a partition are read.
struct IsolationTable {
    private(set) var all: [Isolation<Symbol>] = []
    private var numbers: [Isolation<Symbol>: UInt16] = [:]

    /// The number of an entry's isolation, counted from 1; 0 for a plain entry.
    ///
    /// If the numbers run out, this is a number that belongs to no isolation: such an entry matches no query, which is
    /// better than matching the wrong one.
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
