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
