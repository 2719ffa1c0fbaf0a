internal import ByteOperations
internal import UnifiedSchema

/// Gives equal texts of one partition one number while its facts are read.
struct SymbolTable {
    private(set) var text = PackedText(reserving: 384)
    private(set) var ranges: [TextRange] = []
    /// By hash, once a walk through all of them would cost more.
    private var byHash: [UInt64: UInt32] = [:]
    private static let linearLimit = 24

    init() {
        ranges.reserveCapacity(12)
    }

    /// The symbol of `text` as it stands; none for nothing.
    mutating func symbol(_ text: UTF8Text?) -> Symbol {
        guard let text, !text.isEmpty else { return .none }
        if let known = find(text.bytes) { return known }
        return enter(self.text.append(text.string))
    }

    /// The symbol of a text of other facts.
    mutating func symbol(copying bytes: RawSpan) -> Symbol {
        if let known = find(bytes) { return known }
        return enter(text.append(copying: bytes))
    }

    private mutating func enter(_ range: TextRange) -> Symbol {
        let index = UInt32(ranges.count)
        ranges.append(range)
        if ranges.count == SymbolTable.linearLimit {
            for (index, range) in ranges.enumerated() {
                byHash[self.text.span(range).processHash(seed: 0)] = UInt32(index)
            }
        } else if ranges.count > SymbolTable.linearLimit {
            byHash[text.span(range).processHash(seed: 0)] = index
        }
        return Symbol(index: index)
    }

    private func find(_ bytes: RawSpan) -> Symbol? {
        if ranges.count >= SymbolTable.linearLimit {
            guard let index = byHash[bytes.processHash(seed: 0)] else { return nil }
            if text.span(ranges[Int(index)]).isEqual(to: bytes) { return Symbol(index: index) }
        }
        // Few texts, or two of them that share a hash.
        for (index, range) in ranges.enumerated() where Int(range.count) == bytes.byteCount {
            if text.span(range).isEqual(to: bytes) { return Symbol(index: UInt32(index)) }
        }
        return nil
    }
}

/// The number of a text within one partition's facts. Equal texts have one number there, so comparing is one compare.
struct Symbol: Hashable, Sendable {
    let index: UInt32

    /// No such field, or a blank one.
    static let none = Symbol(index: .max)
    /// A text that is asked for and that no row has: equal to the symbol of no row.
    static let absent = Symbol(index: .max - 1)

    var isNone: Bool { self == .none }
}
