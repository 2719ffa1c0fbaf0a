internal import RecordStorage
internal import Sealing

/// The facts of one account (or of one application's own tokens) as of one moment: what lookups are answered from.
///
/// Immutable and compact: one run of rows of a fixed size, one run of text, each distinct text once. About 1 kB for an
/// account with four entries. Reading them takes no reference count but that of this object.
final class PartitionFacts: Sendable {
    let partition: PartitionTag
    private let storedRows: FixedArray<FactsRow>
    /// Where the texts of the symbols lie in `text`.
    private let symbols: FixedArray<TextRange>
    private let text: FixedArray<UInt8>
    /// What rows are kept apart by; as a rule there are none.
    private let isolations: [Isolation]
    /// The folded home account id that the rows share; none for an application's tokens.
    let homeAccountID: Symbol
    /// The tenant that the account is at home in; none where its id names none.
    let homeTenant: Symbol
    /// Records of the partition whose facts could not be read.
    let damagedCount: Int
    /// Whether the sign-in state of the asking client is among these: nobody knows whether it was signed out.
    let isSignInStateDamaged: Bool
    /// What was known of clouds when the rows were read: other tables give other symbols.
    let clouds: CloudKnowledge
    /// Reads the sealed secrets of exactly these rows.
    let reader: any BoxReader
    /// Opens them.
    let sealer: RecordSealer

    init(
        partition: PartitionTag,
        rows: [FactsRow],
        symbols: SymbolTable,
        isolations: [Isolation],
        clouds: CloudKnowledge,
        homeAccountID: Symbol,
        homeTenant: Symbol,
        damagedCount: Int,
        isSignInStateDamaged: Bool,
        reader: any BoxReader,
        sealer: RecordSealer
    ) {
        self.partition = partition
        storedRows = FixedArray(rows)
        self.symbols = FixedArray(symbols.ranges)
        text = FixedArray(symbols.text.bytes)
        self.isolations = isolations
        self.clouds = clouds
        self.homeAccountID = homeAccountID
        self.homeTenant = homeTenant
        self.damagedCount = damagedCount
        self.isSignInStateDamaged = isSignInStateDamaged
        self.reader = reader
        self.sealer = sealer
    }

    var rows: Span<FactsRow> {
        @_lifetime(borrow self)
        get {
            // SAFETY: the run is a constant of this object, so it lives as long as the object does.
            unsafe _overrideLifetime(storedRows.unsafeSpan, borrowing: self)
        }
    }

    var symbolCount: Int { symbols.count }

    /// A copy of one row.
    func row(_ index: Int) -> FactsRow { storedRows[index] }

    /// What a row is kept apart by; nil for a plain one, and for one of more sorts than can be counted: that serves
    /// nobody.
    func isolation(of row: FactsRow) -> Isolation? {
        row.isIsolated && Int(row.isolation) <= isolations.count ? isolations[Int(row.isolation) - 1] : nil
    }

    /// The bytes of a symbol; empty for ``Symbol/none`` and ``Symbol/absent``.
    @_lifetime(borrow self)
    func span(_ symbol: Symbol) -> RawSpan {
        guard Int(symbol.index) < symbols.count else { return RawSpan() }
        return span(symbols[Int(symbol.index)])
    }

    @_lifetime(borrow self)
    private func span(_ range: TextRange) -> RawSpan {
        // SAFETY: the text is a constant of this object, so its bytes live as long as the object does.
        let all = unsafe _overrideLifetime(text.unsafeBytes, borrowing: self)
        return all.extracting(Int(range.start)..<Int(range.start + range.count))
    }

    /// The text of a symbol; nil where it has none.
    func string(_ symbol: Symbol) -> String? {
        Int(symbol.index) < symbols.count ? String(copying: span(symbol)) : nil
    }

    /// The symbol whose text is `bytes`; ``Symbol/absent`` where no row has such a text.
    func symbol(_ bytes: RawSpan) -> Symbol {
        for index in 0..<symbols.count {
            let range = symbols[index]
            if Int(range.count) == bytes.byteCount, span(range).isEqual(to: bytes) {
                return Symbol(index: UInt32(truncatingIfNeeded: index))
            }
        }
        return .absent
    }
}
