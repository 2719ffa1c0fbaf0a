internal import ByteOperations
internal import RecordStorage
internal import Sealing
internal import Synchronization
internal import UnifiedSchema

/// The facts of one account (or of one application's own tokens) as of one moment: what lookups are answered from.
///
/// Immutable and compact: rows of a fixed size, and each distinct text once. About 1 kB for an account with four entries.
/// Reading them takes no reference count but that of this object.
package final class PartitionFacts: Sendable {
    let partition: PartitionTag
    private let block: FactsBlock
    /// What rows are kept apart by; as a rule there are none.
    private let isolations: [Isolation<Symbol>]
    /// The folded home account id that the rows share; none for an application's tokens.
    let homeAccountID: Symbol
    /// The tenant that the account is at home in; none where its id names none.
    let homeTenant: Symbol
    /// Records of the partition whose facts could not be read.
    let damagedCount: Int
    /// Whether the sign-in state of the asking client is among these: nobody knows whether it was signed out.
    let isSignInStateDamaged: Bool
    /// Whether there are notes of refusals. They are read only where a server would be asked.
    let hasRefusals: Bool
    /// Which version of what was learnt of clouds is stored; nil for none, and but for the group's partition.
    let cloudMetadataSequence: UInt64?
    /// What was known of clouds when the rows were read: other tables give other symbols.
    let clouds: CloudKnowledge
    /// Reads the sealed secrets of exactly these rows.
    let reader: any BoxReader
    /// Opens them.
    let sealer: RecordSealer
    /// Whether somebody asked for them since the hand of the cache's clock came by.
    private let isUsed = Atomic<Bool>(false)

    init(
        partition: PartitionTag,
        rows: [FactsRow],
        symbols: SymbolTable,
        isolations: [Isolation<Symbol>],
        clouds: CloudKnowledge,
        homeAccountID: Symbol,
        homeTenant: Symbol,
        damagedCount: Int,
        isSignInStateDamaged: Bool,
        hasRefusals: Bool,
        cloudMetadataSequence: UInt64?,
        reader: any BoxReader,
        sealer: RecordSealer
    ) {
        self.partition = partition
        block = FactsBlock(rows, symbols)
        self.isolations = isolations
        self.clouds = clouds
        self.homeAccountID = homeAccountID
        self.homeTenant = homeTenant
        self.damagedCount = damagedCount
        self.isSignInStateDamaged = isSignInStateDamaged
        self.hasRefusals = hasRefusals
        self.cloudMetadataSequence = cloudMetadataSequence
        self.reader = reader
        self.sealer = sealer
    }

    var rows: Span<FactsRow> {
        @_lifetime(borrow self)
        get {
            // SAFETY: the block is a constant of this object, so it lives as long as the object does.
            unsafe _overrideLifetime(block.unsafeRows, borrowing: self)
        }
    }

    /// Where the texts of the symbols lie.
    private var ranges: Span<TextRange> {
        @_lifetime(borrow self)
        get {
            // SAFETY: as above.
            unsafe _overrideLifetime(block.unsafeRanges, borrowing: self)
        }
    }

    var symbolCount: Int { ranges.count }

    /// About how much memory they take.
    var byteCount: Int { block.byteCount + Self.objectByteCount }

    /// No less than the object takes.
    static let objectByteCount = 192

    func noteUse() {
        // Read first: threads that look up one account share the cache line.
        if !isUsed.load(ordering: .relaxed) { isUsed.store(true, ordering: .relaxed) }
    }

    /// Whether they were used since this was asked last.
    func takeUse() -> Bool { isUsed.exchange(false, ordering: .relaxed) }

    /// A copy of one row.
    func row(_ index: Int) -> FactsRow { rows[index] }

    /// Where its rows and texts lie.
    var extent: MemoryExtent { block.extent }

    /// What a row is kept apart by; nil for a plain one, and for one of more sorts than can be counted: that serves
    /// nobody.
    func isolation(of row: FactsRow) -> Isolation<Symbol>? {
        row.isIsolated && Int(row.isolation) <= isolations.count ? isolations[Int(row.isolation) - 1] : nil
    }

    /// The bytes of a symbol; empty for ``Symbol/none`` and ``Symbol/absent``.
    @_lifetime(borrow self)
    func span(_ symbol: Symbol) -> RawSpan {
        guard Int(symbol.index) < ranges.count else { return RawSpan() }
        return span(ranges[Int(symbol.index)])
    }

    @_lifetime(borrow self)
    private func span(_ range: TextRange) -> RawSpan {
        // SAFETY: as above.
        let all = unsafe _overrideLifetime(block.unsafeText, borrowing: self)
        return all.extracting(Int(range.start)..<Int(range.start + range.count))
    }

    /// The text of a symbol; nil if it has none.
    func string(_ symbol: Symbol) -> String? {
        Int(symbol.index) < symbolCount ? String(copying: span(symbol)) : nil
    }

    /// The symbol whose text is `bytes`; ``Symbol/absent`` where no row has such a text.
    func symbol(_ bytes: RawSpan) -> Symbol {
        let ranges = ranges
        for index in ranges.indices {
            let range = ranges[index]
            if Int(range.count) == bytes.byteCount, span(range).isEqual(to: bytes) {
                return Symbol(index: UInt32(truncatingIfNeeded: index))
            }
        }
        return .absent
    }
}
