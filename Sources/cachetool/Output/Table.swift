/// Rows under headings, aligned, and cut to the width of the terminal.
///
/// Cells come from caches: they are made visible (``VisibleText``) here, so that no caller can forget it.
struct Table {
    private let columns: [TableColumn]
    private var rows: [[TableCell]] = []

    private static let gap = 2

    init(_ columns: [TableColumn]) {
        self.columns = columns
    }

    var isEmpty: Bool { rows.isEmpty }

    /// Adds a row; `cells` are as many as there are columns.
    mutating func add(_ cells: [TableCell]) {
        rows.append(
            cells.map { TableCell(VisibleText.escaped($0.text), $0.style) }
        )
    }

    /// The lines of the table, its headings first.
    ///
    /// - Parameters:
    ///   - width: columns of the terminal; nil cuts nothing.
    ///   - isColoured: whether styles show.
    /// - Returns: one text for each line, without line ends.
    func lines(width: Int?, isColoured: Bool) -> [String] {
        let layout = TableLayout(columns, natural: naturalWidths, available: width, gap: Self.gap)
        let headings = columns.map { TableCell($0.heading, .dim) }
        return ([headings] + rows).map { line($0, layout, isColoured) }
    }

    /// Prints the table to standard output.
    func write(to console: Console) {
        for line in lines(width: console.columns, isColoured: console.isColoured) {
            console.write(line: line)
        }
    }

    private var naturalWidths: [Int?] {
        columns.indices.map { index in
            // A column that nobody fills says nothing.
            if columns[index].expendable > 0 && rows.allSatisfy({ $0[index].text.isEmpty }) { return nil }
            return rows.reduce(DisplayWidth.of(columns[index].heading)) { max($0, DisplayWidth.of($1[index].text)) }
        }
    }

    private func line(_ cells: [TableCell], _ layout: TableLayout, _ isColoured: Bool) -> String {
        var result = ""
        var owed = 0
        for (index, cell) in cells.enumerated() {
            guard let width = layout.widths[index] else { continue }
            let text = DisplayWidth.truncated(cell.text, to: width)
            let padding = width - DisplayWidth.of(text)
            let styled = cell.style.applied(to: text, isOn: isColoured)
            // Spaces are written only once something follows them: no line ends in blanks.
            let before = owed + (columns[index].alignment == .right ? padding : 0)
            if !text.isEmpty {
                result += String(repeating: " ", count: before) + styled
                owed = columns[index].alignment == .right ? 0 : padding
            } else {
                owed = before + (columns[index].alignment == .right ? 0 : padding)
            }
            owed += Self.gap
        }
        return result
    }
}
