// SPDX-License-Identifier: Apache-2.0

/// Distributes the width of a terminal over the columns of a ``Table``.
///
/// The least important content is dropped first: columns shrink to their minimum, rank by rank; then columns are
/// omitted; and only if that is not enough do the remaining columns shrink further.
struct TableLayout {
    /// The width of each column; nil if it is omitted.
    private(set) var widths: [Int?]

    /// Whether lines must fit a width.
    let isLimited: Bool

    private let columns: [TableColumn]
    private let available: Int
    private let gap: Int

    /// The absolute minimum width of a column.
    private static let least = 7

    /// - Parameters:
    ///   - columns: the constraints of each column.
    ///   - natural: the desired width of each column; nil if it is omitted anyway.
    ///   - available: the width of the terminal; nil for no limit.
    ///   - gap: the number of spaces between two columns.
    init(_ columns: [TableColumn], natural: [Int?], available: Int?, gap: Int) {
        widths = natural
        self.columns = columns
        isLimited = available != nil
        self.available = available ?? .max
        self.gap = gap
        guard available != nil else { return }
        shrink()
        while excess > 0 {
            let shown = columns.indices.filter { widths[$0] != nil && columns[$0].expendable > 0 }
            guard let victim = shown.max(by: { columns[$0].expendable < columns[$1].expendable }) else { break }
            widths = columns.indices.map { widths[$0] == nil || $0 == victim ? nil : natural[$0] }
            shrink()
        }
        let flexible = columns.indices.filter { columns[$0].minimum != nil }
        while shrinkWidest(flexible, to: { _ in Self.least }) {}
    }

    private var excess: Int {
        let shown = widths.compactMap(\.self)
        return shown.reduce(0, +) + gap * max(0, shown.count - 1) - available
    }

    /// Shrinks the columns to their minimum as far as needed.
    private mutating func shrink() {
        let columns = columns
        for rank in Set(columns.map(\.rank)).sorted() {
            while shrinkWidest(columns.indices.filter { columns[$0].rank == rank }, to: { columns[$0].minimum }) {}
        }
    }

    /// Shrinks the widest of some columns, down to the second widest or as far as needed.
    ///
    /// - Returns: false if no column can shrink, or if none needs to.
    private mutating func shrinkWidest(_ candidates: [Int], to minimum: (Int) -> Int?) -> Bool {
        guard excess > 0 else { return false }
        let able = candidates.compactMap { index -> (index: Int, width: Int, least: Int)? in
            guard let width = widths[index], let least = minimum(index), width > least else { return nil }
            return (index, width, least)
        }
        guard let first = able.max(by: { $0.width < $1.width }) else { return false }
        let second = able.filter { $0.index != first.index }.map(\.width).max() ?? 0
        widths[first.index] = max(first.least, min(first.width - 1, max(second, first.width - excess)))
        return true
    }
}
