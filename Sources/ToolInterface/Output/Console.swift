// SPDX-License-Identifier: Apache-2.0

/// The two output streams of a run and their capabilities: data on standard output, everything else on standard error.
///
/// Used from the main thread only.
public final class Console {
    /// Data.
    public let output = OutputStream(descriptor: 1)
    /// Questions, remarks and errors.
    public let errors = OutputStream(descriptor: 2)
    /// Suppresses progress and remarks, but not errors.
    public let isQuiet: Bool
    /// Whether lines may be wider than the terminal.
    private let isWide: Bool
    /// Seconds since 1970, read once, so that all output of a run refers to the same moment.
    public let now: Int64

    /// - Parameters:
    ///   - isQuiet: suppresses progress and remarks.
    ///   - isWide: whether lines may be wider than the terminal.
    ///   - now: seconds since 1970.
    public init(isQuiet: Bool = false, isWide: Bool = false, now: Int64 = Syscalls.secondsSince1970()) {
        self.isQuiet = isQuiet
        self.isWide = isWide
        self.now = now
    }

    /// The width of a line on standard output; nil if nothing is truncated, because it is not a terminal or lines may
    /// be wider.
    public private(set) lazy var columns: Int? = {
        if isWide { return nil }
        if let text = Syscalls.environment("COLUMNS"), let columns = Int(text), columns > 0 { return columns }
        return output.isTerminal ? Syscalls.terminalColumns(output.descriptor) ?? 80 : nil
    }()

    /// Whether standard output may be coloured.
    public private(set) lazy var isColoured: Bool = Self.mayColour(output)

    /// Writes a line of data.
    public func write(line: String) { output.write(line: line) }

    /// A line of data in a style.
    public func write(line: String, _ style: Style) { output.write(line: style.applied(to: line, isOn: isColoured)) }

    /// Prints information that is neither data nor an error.
    public func remark(_ text: String) {
        if !isQuiet { report(VisibleText.escaped(text)) }
    }

    /// Prints a line that belongs to a question, even if quiet.
    public func say(_ line: String) { report(line) }

    /// Prints a warning, even if quiet.
    public func warn(_ text: String) {
        let label = Style.warning.applied(to: "warning:", isOn: Self.mayColour(errors))
        report("cachetool: " + label + " " + VisibleText.escaped(text))
    }

    /// Prints the reason that the command failed.
    public func fail(_ text: String) { report("cachetool: " + VisibleText.escaped(text)) }

    private func report(_ line: String) {
        output.flush()
        errors.write(line: line)
        errors.flush()
    }

    /// Writes the buffered output.
    public func flush() {
        output.flush()
        errors.flush()
    }

    private static func mayColour(_ stream: OutputStream) -> Bool {
        stream.isTerminal && Syscalls.environment("NO_COLOR") == nil && Syscalls.environment("TERM") != "dumb"
    }
}
