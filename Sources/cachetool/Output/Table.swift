// SPDX-License-Identifier: Apache-2.0

import ToolInterface

/// Rows under headings, aligned, and truncated to the width of the terminal.
struct Table {
    private let columns: [TableColumn]
    private let rowCount: Int
    /// The cells of a row, one for each column.
    private let cells: (Int) -> [TableCell]

    /// The first rows determine the widths, so that the cells of a long table are never in memory together.
    private static let measuredRowCount = 500
    private static let gap = 2

    init<Row>(_ columns: [TableColumn], of rows: [Row], cells: @escaping (Row) -> [TableCell]) {
        self.columns = columns
        rowCount = rows.count
        self.cells = { cells(rows[$0]) }
    }

    /// Prints the table to standard output.
    func write(to console: Console) {
        forEachLine(width: console.columns, isColoured: console.isColoured) { console.write(line: $0) }
    }

    /// Passes the lines of the table to `body`, beginning with its headings.
    ///
    /// - Parameters:
    ///   - width: the width of the terminal; nil truncates nothing.
    ///   - isColoured: whether to apply styles.
    ///   - body: receives each line, without line end.
    func forEachLine(width: Int?, isColoured: Bool, _ body: (String) -> Void) {
        let headings = columns.map { TableCell($0.heading, .dim) }
        let widths = widths(of: [headings] + (0..<min(rowCount, Self.measuredRowCount)).map(cells), within: width)
        body(line(headings, widths, isLimited: width != nil, isColoured: isColoured))
        for row in 0..<rowCount {
            body(line(cells(row), widths, isLimited: width != nil, isColoured: isColoured))
        }
    }

    /// The width of each column; nil if it is omitted.
    private func widths(of rows: [[TableCell]], within available: Int?) -> [Int?] {
        var widths: [Int?] = columns.indices.map { column in rows.map { DisplayWidth.of($0[column].text) }.max() }
        guard let available else { return widths }
        func excess(_ widths: [Int?]) -> Int {
            widths.compactMap(\.self).reduce(-Self.gap) { $0 + $1 + Self.gap } - available
        }
        func least(_ column: Int) -> Int? { widths[column].map { min($0, columns[column].minimum ?? .max) } }
        while excess(columns.indices.map(least)) > 0,
            let last = columns.indices.last(where: { columns[$0].isOptional && widths[$0] != nil })
        {
            widths[last] = nil
        }
        for column in columns.indices.sorted(by: { columns[$0].rank < columns[$1].rank }) {
            guard let width = widths[column], let least = least(column) else { continue }
            widths[column] = max(least, width - max(0, excess(widths)))
        }
        return widths
    }

    private func line(_ cells: [TableCell], _ widths: [Int?], isLimited: Bool, isColoured: Bool) -> String {
        var line = ""
        // The spaces before the next text are written only if one follows, so that no line ends with spaces.
        var spaces = 0
        for (index, cell) in cells.enumerated() {
            guard let width = widths[index] else { continue }
            let isCut = isLimited && columns[index].minimum != nil
            let text = isCut ? DisplayWidth.truncated(cell.text, to: width) : cell.text
            let padding = max(0, width - DisplayWidth.of(text))
            let isRight = columns[index].alignment == .right
            if isRight { spaces += padding }
            if !text.isEmpty {
                line += String(repeating: " ", count: spaces) + cell.style.applied(to: text, isOn: isColoured)
                spaces = 0
            }
            spaces += Self.gap + (isRight ? 0 : padding)
        }
        return line
    }
}
