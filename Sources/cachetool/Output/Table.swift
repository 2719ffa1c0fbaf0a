// SPDX-License-Identifier: Apache-2.0

import ToolInterface

/// Rows under headings, aligned and truncated to the width of the terminal.
///
/// Cells come from caches. They are escaped here (``VisibleText``), so that callers cannot forget to do so.
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

    /// The number of rows.
    var count: Int { rows.count }

    /// The lines of the table, beginning with its headings.
    ///
    /// - Parameters:
    ///   - width: the width of the terminal; nil truncates nothing.
    ///   - isColoured: whether to apply styles.
    /// - Returns: one string for each line, without line ends.
    func lines(width: Int?, isColoured: Bool) -> [String] {
        var lines: [String] = []
        forEachLine(layout(width: width), isColoured: isColoured) { lines.append(String(decoding: $0, as: UTF8.self)) }
        return lines
    }

    /// Prints the table to standard output.
    func write(to console: Console) {
        write(to: console, layout(width: console.columns))
    }

    fileprivate func write(to console: Console, _ layout: TableLayout) {
        forEachLine(layout, isColoured: console.isColoured) { line in
            line.append(UInt8(ascii: "\n"))
            console.output.write(line)
        }
    }

    private var headings: [VisibleCell] { columns.map { VisibleCell(TableCell($0.heading, .dim)) } }

    /// Distributes the width over the columns, according to the rows so far.
    fileprivate func layout(width: Int?) -> TableLayout {
        TableLayout(columns, natural: naturalWidths(headings), available: width, gap: Self.gap)
    }

    private func forEachLine(_ layout: TableLayout, isColoured: Bool, _ body: (inout [UInt8]) -> Void) {
        var line: [UInt8] = []
        for cells in [headings] + rows {
            line.removeAll(keepingCapacity: true)
            append(cells, to: &line, layout: layout, isColoured: isColoured)
            body(&line)
        }
    }

    /// Appends another row as a line, with the widths of an earlier layout.
    fileprivate func appendLine(_ cells: [TableCell], _ layout: TableLayout, isColoured: Bool, to line: inout [UInt8]) {
        var owed = 0
        for index in cells.indices where layout.widths[index] != nil {
            append(VisibleCell(cells[index]), at: index, to: &line, &owed, layout: layout, isColoured: isColoured)
        }
        line.append(UInt8(ascii: "\n"))
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
            append(cells[index], at: index, to: &line, &owed, layout: layout, isColoured: isColoured)
        }
    }

    /// Appends a cell. `owed` is the number of spaces before the next cell. They are written only when text follows, so
    /// that no line ends with spaces.
    private func append(
        _ whole: VisibleCell,
        at index: Int,
        to line: inout [UInt8],
        _ owed: inout Int,
        layout: TableLayout,
        isColoured: Bool
    ) {
        guard let width = layout.widths[index] else { return }
        // A row added after the layout was made may have a longer text, which must not be truncated.
        let cell = columns[index].minimum == nil || !layout.isLimited ? whole : whole.cut(to: width, columns[index])
        let padding = max(0, width - cell.width)
        let isRight = columns[index].alignment == .right
        let before = owed + (isRight ? padding : 0)
        if !cell.text.isEmpty {
            line.append(contentsOf: repeatElement(UInt8(ascii: " "), count: before))
            line.append(contentsOf: cell.style.applied(to: cell.text, isOn: isColoured).utf8)
            owed = isRight ? 0 : padding
        } else {
            owed = before + (isRight ? 0 : padding)
        }
        owed += Self.gap
    }

    /// An escaped cell with its width.
    private struct VisibleCell {
        let text: String
        let width: Int
        let style: Style

        init(_ cell: TableCell) {
            // Almost all cells are plain: read their text once, instead of once to escape it and once to measure it.
            if VisibleText.isPlain(cell.text) {
                self.init(cell.text, width: cell.text.utf8.count, cell.style)
            } else {
                let text = VisibleText.escaped(cell.text)
                self.init(text, width: DisplayWidth.of(text), cell.style)
            }
        }

        private init(_ text: String, width: Int, _ style: Style) {
            self.text = text
            self.width = width
            self.style = style
        }

        func cut(to columns: Int, _ column: TableColumn) -> VisibleCell {
            if width <= columns { return self }
            let cut = column.keepsEnd ? DisplayWidth.truncatedStart : DisplayWidth.truncated
            let text = cut(text, columns)
            return VisibleCell(text, width: DisplayWidth.of(text), style)
        }
    }
}

/// Prints a table of any length while rows are still being added: the first rows determine the widths.
struct TableStream {
    private var table: Table
    private let console: Console
    private var layout: TableLayout?
    private var line: [UInt8] = []
    private(set) var isEmpty = true

    private static let firstRowCount = 500

    init(_ columns: [TableColumn], on console: Console) {
        table = Table(columns)
        self.console = console
    }

    /// Adds a row, and prints it unless it is one of the first rows.
    mutating func add(_ cells: [TableCell]) {
        isEmpty = false
        guard let layout else {
            table.add(cells)
            if table.count == Self.firstRowCount { begin() }
            return
        }
        line.removeAll(keepingCapacity: true)
        table.appendLine(cells, layout, isColoured: console.isColoured, to: &line)
        console.output.write(line)
    }

    private mutating func begin() {
        let layout = table.layout(width: console.columns)
        table.write(to: console, layout)
        console.output.flush()
        self.layout = layout
    }

    /// Prints the rows that were not printed yet.
    mutating func finish() {
        if layout == nil, !isEmpty { begin() }
    }
}
