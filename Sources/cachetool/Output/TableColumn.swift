// SPDX-License-Identifier: Apache-2.0

import TokenCaching
import ToolInterface

/// One column of a ``Table``, and how it adapts to a narrow terminal.
struct TableColumn {
    enum Alignment { case left, right }

    let heading: String
    let alignment: Alignment
    /// The width to which it can shrink; nil if it is never truncated. Columns of a lower rank shrink first.
    let minimum: Int?
    let rank: Int
    /// Whether it is omitted if the table is too wide with all columns at their minimum; the last one first.
    let isOptional: Bool

    init(
        _ heading: String,
        _ alignment: Alignment = .left,
        minimum: Int? = nil,
        rank: Int = 0,
        isOptional: Bool = false
    ) {
        self.heading = heading
        self.alignment = alignment
        self.minimum = minimum
        self.rank = rank
        self.isOptional = isOptional
    }

    /// An id. Users can type its first eight characters instead of the whole id.
    static func id(_ heading: String, isOptional: Bool = false) -> TableColumn {
        TableColumn(heading, minimum: 9, rank: 1, isOptional: isOptional)
    }

    /// A username. Users recognise and type it, so it shrinks last.
    static func username(_ heading: String) -> TableColumn { TableColumn(heading, minimum: 16, rank: 2) }
}

/// One cell of a ``Table``.
struct TableCell: ExpressibleByStringLiteral {
    let text: String
    let style: Style

    /// Cells come from caches. They are escaped here (``VisibleText``), so that callers cannot forget to do so.
    init(_ text: String, _ style: Style = .plain) {
        self.text = VisibleText.escaped(text)
        self.style = style
    }

    init(stringLiteral value: String) {
        self.init(value)
    }
}

extension TableCell {
    /// The expiry of an entry: red if it has expired, yellow if lookups already ignore it. Empty if it does not expire.
    static func expiry(_ entry: EntrySummary, now: Timestamp) -> TableCell {
        guard let moment = entry.expiresOn, let isExpired = entry.isExpired(at: now) else { return TableCell("") }
        let text = HumanTime.relative(moment.secondsSince1970, now: now.secondsSince1970)
        if isExpired { return TableCell(text, .bad) }
        let isIgnored = entry.isInExpirationMargin(at: now) || entry.hasToken && entry.isUsable(at: now) == false
        return TableCell(text, isIgnored ? .warning : .plain)
    }
}
