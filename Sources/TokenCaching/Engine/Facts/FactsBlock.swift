// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage

/// The rows and texts of one partition, contiguous in one immutable piece of memory. Reading them needs no reference
/// counting.
///
/// One piece, so that all of it can be prefetched at once.
@safe struct FactsBlock: ~Copyable, @unchecked Sendable {
    // SAFETY: written only in the initializer, and freed by the one owner.
    private let rowBase: UnsafeMutablePointer<FactsRow>
    private let rangeBase: UnsafeMutablePointer<TextRange>
    private let textBase: UnsafeMutablePointer<UInt8>
    private let rowCount: UInt32
    private let rangeCount: UInt32
    private let textByteCount: UInt32

    init(_ rows: [FactsRow], _ symbols: SymbolTable) {
        let (ranges, text) = (symbols.ranges, symbols.text.bytes)
        rowCount = UInt32(rows.count)
        rangeCount = UInt32(ranges.count)
        textByteCount = UInt32(text.count)
        let rowBytes = rows.count * MemoryLayout<FactsRow>.stride
        let rangeBytes = ranges.count * MemoryLayout<TextRange>.stride
        // SAFETY: each run begins where the previous one ends, and none needs a stricter alignment.
        let base = UnsafeMutableRawPointer.allocate(
            byteCount: rowBytes + rangeBytes + text.count,
            alignment: MemoryLayout<FactsRow>.alignment
        )
        unsafe rowBase = base.bindMemory(to: FactsRow.self, capacity: rows.count)
        unsafe rangeBase = (base + rowBytes).bindMemory(to: TextRange.self, capacity: ranges.count)
        unsafe textBase = (base + rowBytes + rangeBytes).bindMemory(to: UInt8.self, capacity: text.count)
        unsafe FactsBlock.copy(rows, to: rowBase)
        unsafe FactsBlock.copy(ranges, to: rangeBase)
        unsafe FactsBlock.copy(text, to: textBase)
    }

    deinit {
        // Its values are trivial and need no release of their own.
        unsafe rowBase.deallocate()
    }

    @unsafe private static func copy<Element>(_ elements: [Element], to location: UnsafeMutablePointer<Element>) {
        // SAFETY: the destination has space for as many elements; neither pointer is used after the call.
        unsafe elements.withUnsafeBufferPointer { source in
            if let first = source.baseAddress { unsafe location.initialize(from: first, count: source.count) }
        }
    }

    /// The whole block.
    var extent: MemoryExtent { unsafe MemoryExtent(rowBase, byteCount: byteCount) }

    var byteCount: Int {
        unsafe UnsafeRawPointer(textBase) - UnsafeRawPointer(rowBase) + Int(textByteCount)
    }

    /// The rows, in place. The owner may hand them out only for its own lifetime.
    @unsafe var unsafeRows: Span<FactsRow> {
        @_lifetime(immortal)
        get {
            let span = unsafe Span(_unsafeStart: UnsafePointer(rowBase), count: Int(rowCount))
            return unsafe _overrideLifetime(span, copying: ())
        }
    }

    /// The ranges of the symbols' texts; the same restriction applies.
    @unsafe var unsafeRanges: Span<TextRange> {
        @_lifetime(immortal)
        get {
            let span = unsafe Span(_unsafeStart: UnsafePointer(rangeBase), count: Int(rangeCount))
            return unsafe _overrideLifetime(span, copying: ())
        }
    }

    /// The text; the same restriction applies.
    @unsafe var unsafeText: RawSpan {
        @_lifetime(immortal)
        get {
            let span = unsafe RawSpan(_unsafeStart: UnsafeRawPointer(textBase), byteCount: Int(textByteCount))
            return unsafe _overrideLifetime(span, copying: ())
        }
    }
}
