// SPDX-License-Identifier: Apache-2.0

import TokenCaching
import ToolInterface

/// One column of a ``Table``.
struct TableColumn {
    enum Alignment { case left, right }

    let heading: String
    let alignment: Alignment
    /// The minimum width when truncated; nil: never truncated.
    let minimum: Int?
    /// If even that is too wide, columns with the highest number are omitted first; 0 is never omitted.
    let expendable: Int

    init(_ heading: String, _ alignment: Alignment = .left, minimum: Int? = nil, expendable: Int = 0) {
        self.heading = heading
        self.alignment = alignment
        self.minimum = minimum
        self.expendable = expendable
    }
}

/// One cell of a ``Table``.
struct TableCell: ExpressibleByStringLiteral {
    let text: String
    let style: Style

    init(_ text: String, _ style: Style = .plain) {
        self.text = text
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
        return TableCell(text, entry.isInMargin(at: now) ? .warning : .plain)
    }
}
