import TokenCaching

/// One column of a ``Table``.
struct TableColumn {
    enum Alignment { case left, right }

    let heading: String
    let alignment: Alignment
    /// The least width that it is cut to; nil: never cut.
    let minimum: Int?
    /// Where even that is too wide, columns with the highest number are left out first; 0 is never left out.
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
    /// When an entry expires: red once it has, yellow where lookups pass it over already. Empty for what does not expire.
    static func expiry(_ entry: EntrySummary, now: Timestamp) -> TableCell {
        guard let moment = entry.expiresOn, let isExpired = entry.isExpired(at: now) else { return TableCell("") }
        let text = HumanTime.relative(moment, now: now.secondsSince1970)
        if isExpired { return TableCell(text, .bad) }
        return TableCell(text, entry.isInMargin(at: now) ? .warning : .plain)
    }
}
