extension TableCell {
    /// When something expires: red once it has, yellow shortly before.
    ///
    /// - Parameters:
    ///   - moment: seconds since 1970; nil: nothing expires.
    ///   - now: seconds since 1970.
    /// - Returns: the cell.
    static func expiry(_ moment: Int64?, now: Int64) -> TableCell {
        guard let moment else { return TableCell("") }
        let text = HumanTime.relative(moment, now: now)
        if moment <= now { return TableCell(text, .bad) }
        return TableCell(text, moment - now < 300 ? .warning : .plain)
    }
}
