// SPDX-License-Identifier: Apache-2.0

/// Distributes the width of a terminal over the columns of a ``Table``.
struct TableLayout {
    /// The width of each column; nil if it is omitted.
    private(set) var widths: [Int?]

    /// - Parameters:
    ///   - columns: the constraints of each.
    ///   - natural: the desired width of each; nil if it is omitted anyway.
    ///   - available: the width of the terminal; nil for no limit.
    ///   - gap: the number of spaces between two columns.
    init(_ columns: [TableColumn], natural: [Int?], available: Int?, gap: Int) {
        widths = natural
        guard let available else { return }
        while let next = widest(columns, excess: excess(over: available, gap)) {
            widths[next.index] = next.width
        }
        while excess(over: available, gap) > 0 {
            let shown = columns.indices.filter { widths[$0] != nil && columns[$0].expendable > 0 }
            guard let victim = shown.max(by: { columns[$0].expendable < columns[$1].expendable }) else { return }
            widths = columns.indices.map { widths[$0] == nil || $0 == victim ? nil : natural[$0] }
            while let next = widest(columns, excess: excess(over: available, gap)) {
                widths[next.index] = next.width
            }
        }
    }

    private func excess(over available: Int, _ gap: Int) -> Int {
        let shown = widths.compactMap(\.self)
        return shown.reduce(0, +) + gap * max(0, shown.count - 1) - available
    }

    /// The widest column that may still be truncated, and its next width: down to the second widest, or as far as
    /// needed.
    private func widest(_ columns: [TableColumn], excess: Int) -> (index: Int, width: Int)? {
        guard excess > 0 else { return nil }
        var candidates: [(index: Int, width: Int, least: Int)] = []
        for index in columns.indices {
            guard let width = widths[index], let minimum = columns[index].minimum, width > minimum else { continue }
            candidates.append((index, width, minimum))
        }
        guard let first = candidates.max(by: { $0.width < $1.width }) else { return nil }
        let second = candidates.filter { $0.index != first.index }.map(\.width).max() ?? 0
        let target = max(first.least, min(first.width - 1, max(second, first.width - excess)))
        return (first.index, target)
    }
}
