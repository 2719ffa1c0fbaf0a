extension [String] {
    /// All of them with a blank in between. `joined(separator:)` takes a hundred times as long when it is called first,
    /// because it looks for conformances at run time.
    var inOneLine: String {
        guard var line = first else { return "" }
        for text in dropFirst() { line += " " + text }
        return line
    }
}
