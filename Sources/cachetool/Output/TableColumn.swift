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
