/// The two streams of a run and what may be done with them: data on standard output, everything else on standard error.
///
/// Used from the main thread only.
final class Console {
    let output = OutputStream(descriptor: 1)
    let errors = OutputStream(descriptor: 2)
    /// Neither progress nor remarks; errors still.
    let isQuiet: Bool
    /// Seconds since 1970, read once: everything that one run says refers to the same moment.
    let now: Int64

    /// - Parameters:
    ///   - isQuiet: leave progress and remarks out.
    ///   - now: seconds since 1970.
    init(isQuiet: Bool = false, now: Int64 = Syscalls.secondsSince1970()) {
        self.isQuiet = isQuiet
        self.now = now
    }

    /// Columns that a line on standard output may take; nil where there is no terminal: then nothing is cut.
    var columns: Int? {
        if let text = Syscalls.environment("COLUMNS"), let columns = Int(text), columns > 0 { return columns }
        return output.isTerminal ? Syscalls.terminalColumns(output.descriptor) ?? 80 : nil
    }

    /// Whether standard output may be coloured.
    var isColoured: Bool { Self.mayColour(output) }

    func write(line: String) { output.write(line: line) }

    /// A line of data in a style.
    func write(line: String, _ style: Style) { output.write(line: style.applied(to: line, isOn: isColoured)) }

    /// Something worth knowing that is neither data nor an error.
    func remark(_ text: String) {
        guard !isQuiet else { return }
        output.flush()
        errors.write(line: VisibleText.escaped(text))
        errors.flush()
    }

    /// A line that belongs to a question, quiet or not.
    func say(_ line: String) {
        output.flush()
        errors.write(line: line)
    }

    /// Something that people must know, quiet or not.
    func warn(_ text: String) {
        output.flush()
        let label = Style.warning.applied(to: "warning:", isOn: Self.mayColour(errors))
        errors.write(line: "cachetool: " + label + " " + VisibleText.escaped(text))
        errors.flush()
    }

    /// Why the command gave up.
    func fail(_ text: String) {
        output.flush()
        errors.write(line: "cachetool: " + VisibleText.escaped(text))
        errors.flush()
    }

    func flush() {
        output.flush()
        errors.flush()
    }

    private static func mayColour(_ stream: OutputStream) -> Bool {
        stream.isTerminal && Syscalls.environment("NO_COLOR") == nil && Syscalls.environment("TERM") != "dumb"
    }
}
