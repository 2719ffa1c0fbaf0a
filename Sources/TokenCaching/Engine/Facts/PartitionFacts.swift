internal import RecordStorage
internal import Sealing

/// The facts of one account (or of one application's own tokens) as of one moment: what lookups are answered from.
///
/// Immutable and compact: one array of fixed-size rows, one run of text, each distinct text once. About 1 kB for an
/// account with four entries.
final class PartitionFacts: Sendable {
    let partition: PartitionTag
    let rows: [FactsRow]
    /// The texts of the symbols.
    let symbols: [TextRange]
    let text: PackedText
    /// The folded home account id that the rows share; none for an application's tokens.
    let homeAccountID: Symbol
    /// The tenant that the account is at home in; none where its id names none.
    let homeTenant: Symbol
    /// Records of the partition whose facts could not be read.
    let damagedCount: Int
    /// Reads the sealed secrets of exactly these rows.
    let reader: any BoxReader
    /// Opens them.
    let sealer: RecordSealer

    init(
        partition: PartitionTag,
        rows: [FactsRow],
        symbols: [TextRange],
        text: PackedText,
        homeAccountID: Symbol,
        homeTenant: Symbol,
        damagedCount: Int,
        reader: any BoxReader,
        sealer: RecordSealer
    ) {
        self.partition = partition
        self.rows = rows
        self.symbols = symbols
        self.text = text
        self.homeAccountID = homeAccountID
        self.homeTenant = homeTenant
        self.damagedCount = damagedCount
        self.reader = reader
        self.sealer = sealer
    }

    /// The bytes of a symbol; empty for ``Symbol/none``.
    @_lifetime(borrow self)
    func span(_ symbol: Symbol) -> RawSpan {
        guard !symbol.isNone else { return RawSpan() }
        let text = text
        // SAFETY: the text is a constant of this object, so its bytes live as long as the object does.
        return unsafe _overrideLifetime(text.span(symbols[Int(symbol.index)]), borrowing: self)
    }

    func string(_ symbol: Symbol) -> String? {
        symbol.isNone ? nil : text.string(symbols[Int(symbol.index)])
    }

    /// The symbol whose text is `bytes`; ``Symbol/absent`` where no row has such a text.
    func symbol(_ bytes: RawSpan) -> Symbol {
        let text = text
        for (index, range) in symbols.enumerated() where Int(range.count) == bytes.byteCount {
            if text.span(range).isEqual(to: bytes) { return Symbol(index: UInt32(index)) }
        }
        return .absent
    }
}
