// SPDX-License-Identifier: Apache-2.0

import ToolInterface

/// Rows under headings, aligned and truncated to the width of the terminal.
///
/// Cells come from caches: they are escaped (``VisibleText``) here, so that no caller can forget it.
struct Table {
    private let columns: [TableColumn]
    private var rows: [[VisibleCell]] = []

    private static let gap = 2

    init(_ columns: [TableColumn]) {
        self.columns = columns
    }

    var isEmpty: Bool { rows.isEmpty }

    /// Adds a row; `cells` has one element for each column.
    mutating func add(_ cells: [TableCell]) {
        rows.append(cells.map(VisibleCell.init))
    }

    /// The lines of the table, its headings first.
    ///
    /// - Parameters:
    ///   - width: the width of the terminal; nil truncates nothing.
    ///   - isColoured: whether styles show.
    /// - Returns: one string for each line, without line ends.
    func lines(width: Int?, isColoured: Bool) -> [String] {
        var lines: [String] = []
        forEachLine(width: width, isColoured: isColoured) { lines.append(String(decoding: $0, as: UTF8.self)) }
        return lines
    }

    /// Prints the table to standard output.
    func write(to console: Console) {
        forEachLine(width: console.columns, isColoured: console.isColoured) { line in
            line.append(UInt8(ascii: "\n"))
            console.output.write(line)
        }
    }

    private func forEachLine(width: Int?, isColoured: Bool, _ body: (inout [UInt8]) -> Void) {
        let headings = columns.map { VisibleCell(TableCell($0.heading, .dim)) }
        let layout = TableLayout(columns, natural: naturalWidths(headings), available: width, gap: Self.gap)
        var line: [UInt8] = []
        for cells in [headings] + rows {
            line.removeAll(keepingCapacity: true)
            append(cells, to: &line, layout: layout, isColoured: isColoured)
            body(&line)
        }
    }

    private func naturalWidths(_ headings: [VisibleCell]) -> [Int?] {
        columns.indices.map { index in
            // A column without any content is omitted.
            if columns[index].expendable > 0 && rows.allSatisfy({ $0[index].text.isEmpty }) { return nil }
            return rows.reduce(headings[index].width) { max($0, $1[index].width) }
        }
    }

    private func append(_ cells: [VisibleCell], to line: inout [UInt8], layout: TableLayout, isColoured: Bool) {
        var owed = 0
        for index in cells.indices {
            guard let width = layout.widths[index] else { continue }
            let cell = cells[index].cut(to: width)
            let padding = width - cell.width
            // Spaces are written only when something follows them, so that no line ends in spaces.
            let before = owed + (columns[index].alignment == .right ? padding : 0)
            if !cell.text.isEmpty {
                line.append(contentsOf: repeatElement(UInt8(ascii: " "), count: before))
                line.append(contentsOf: cell.style.applied(to: cell.text, isOn: isColoured).utf8)
                owed = columns[index].alignment == .right ? 0 : padding
            } else {
                owed = before + (columns[index].alignment == .right ? 0 : padding)
            }
            owed += Self.gap
        }
    }

    /// An escaped cell with its width.
    private struct VisibleCell {
        let text: String
        let width: Int
        let style: Style

        init(_ cell: TableCell) {
            self.init(VisibleText.escaped(cell.text), cell.style)
        }

        private init(_ text: String, _ style: Style) {
            self.text = text
            self.width = DisplayWidth.of(text)
            self.style = style
        }

        func cut(to columns: Int) -> VisibleCell {
            width <= columns ? self : VisibleCell(DisplayWidth.truncated(text, to: columns), style)
        }
    }
}
