// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import RecordStorage
internal import Sealing
internal import Synchronization
internal import UnifiedSchema

/// The facts of one account (or of a client's app-only tokens) at one moment, from which lookups are answered.
///
/// Immutable and compact: rows of a fixed size, and each distinct text once. About 1 kB for an account with four
/// entries. Reading them takes no reference count except that of this object.
package final class PartitionFacts: Sendable {
    let partition: PartitionTag
    private let block: FactsBlock
    /// The isolations of the rows; usually there are none.
    private let isolations: [Isolation<Symbol>]
    /// The folded home account id that the rows share; none for app-only tokens.
    let homeAccountID: Symbol
    /// Whether the account's id may be the subject of other accounts too: it names no issuer, and not all of its entries are
    /// Microsoft's.
    let mayShareSubject: Bool
    /// The account's home tenant; none if its id names none.
    let homeTenant: Symbol
    /// Records of the partition whose facts could not be read.
    let damagedCount: Int
    /// Whether the requesting client's sign-in state is one of these records, so that it is unknown whether the client
    /// signed out.
    let isSignInStateDamaged: Bool
    /// Whether there are notes of refusals. They are read only before a server is asked.
    let hasRefusals: Bool
    /// The version of the stored clouds; nil if there are none, and for every partition except the group's.
    let cloudMetadataSequence: UInt64?
    /// The clouds that were known when the rows were read: with a different table, symbols differ.
    let clouds: CloudKnowledge
    /// Reads the sealed secrets of exactly these rows.
    let reader: any BoxReader
    /// Opens these secrets.
    let sealer: RecordSealer
    /// Whether these facts were used since the last pass of the cache's clock hand.
    private let isUsed = Atomic<Bool>(false)

    init(
        partition: PartitionTag,
        rows: [FactsRow],
        symbols: SymbolTable,
        isolations: [Isolation<Symbol>],
        clouds: CloudKnowledge,
        homeAccountID: Symbol,
        mayShareSubject: Bool,
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
        self.mayShareSubject = mayShareSubject
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

    /// The ranges of the symbols' texts.
    private var ranges: Span<TextRange> {
        @_lifetime(borrow self)
        get {
            // SAFETY: as above.
            unsafe _overrideLifetime(block.unsafeRanges, borrowing: self)
        }
    }

    var symbolCount: Int { ranges.count }

    /// Approximately how much memory the facts take.
    var byteCount: Int { block.byteCount + Self.objectByteCount }

    /// An upper bound of the object's own size.
    static let objectByteCount = 192

    func noteUse() {
        // Load first: threads that look up one account share the cache line.
        if !isUsed.load(ordering: .relaxed) { isUsed.store(true, ordering: .relaxed) }
    }

    /// Whether these facts were used since the last call.
    func takeUse() -> Bool { isUsed.exchange(false, ordering: .relaxed) }

    /// A copy of one row.
    func row(_ index: Int) -> FactsRow { rows[index] }

    /// The extent of its rows and texts in memory.
    var extent: MemoryExtent { block.extent }

    /// The isolation of a row; nil for a plain row, and for one whose isolation could not be numbered, which matches no
    /// query.
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

    /// The granted scopes of an access token, as stored.
    func scopes(of row: FactsRow) -> [String] {
        (string(row.scopes) ?? "").split(whereSeparator: \.isWhitespace).map(String.init)
    }

    /// The symbol of the text `bytes`; ``Symbol/absent`` if no row has this text.
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
