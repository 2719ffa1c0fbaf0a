import TokenCaching

extension TableCell {
    /// When an entry expires: red once it has, yellow where lookups pass it over already. Empty for what does not expire.
    static func expiry(_ entry: EntrySummary, now: Timestamp) -> TableCell {
        guard let moment = entry.expiresOn, let isExpired = entry.isExpired(at: now) else { return TableCell("") }
        let text = HumanTime.relative(moment, now: now.secondsSince1970)
        if isExpired { return TableCell(text, .bad) }
        return TableCell(text, entry.isInMargin(at: now) ? .warning : .plain)
    }
}
