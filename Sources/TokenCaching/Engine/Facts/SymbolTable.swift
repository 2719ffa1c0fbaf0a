// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import UnifiedSchema

/// Assigns one number to each distinct text of one partition while its facts are read.
struct SymbolTable {
    private(set) var text = PackedText(reserving: 384)
    private(set) var ranges: [TextRange] = []
    /// By hash, once there are too many to search linearly.
    private var byHash: [UInt64: UInt32] = [:]
    private static let linearLimit = 24

    init() {
        ranges.reserveCapacity(12)
    }

    /// The symbol of `text`, unchanged; none for nil.
    mutating func symbol(_ text: UTF8Text?) -> Symbol {
        guard let text, !text.isEmpty else { return .none }
        if let known = find(text.bytes) { return known }
        return enter(self.text.append(text.string))
    }

    /// The symbol of a text in other facts.
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
        // Few texts, or two with the same hash.
        for (index, range) in ranges.enumerated() where Int(range.count) == bytes.byteCount {
            if text.span(range).isEqual(to: bytes) { return Symbol(index: UInt32(index)) }
        }
        return nil
    }
}

/// The number of a text within one partition's facts. Equal texts have equal numbers, so comparing them is a single
/// comparison.
struct Symbol: Hashable, Sendable {
    let index: UInt32

    /// A missing or blank field.
    static let none = Symbol(index: .max)
    /// A requested text that no row has: different from the symbol of every row.
    static let absent = Symbol(index: .max - 1)

    var isNone: Bool { self == .none }
}
