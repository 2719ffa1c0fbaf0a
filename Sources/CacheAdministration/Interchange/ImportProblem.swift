internal import TokenCaching

/// An entry that could not be kept: where it stands and what rule it broke. Never its content.
public struct ImportProblem: Hashable, Sendable, CustomStringConvertible {
    /// Where it was noticed, in bytes from the start of the document.
    public let byteOffset: UInt64
    /// The line, counted from one, where that is known.
    public let line: Int?
    /// The rule, as a sentence fragment.
    public let rule: String

    package init(byteOffset: UInt64, line: Int?, rule: String) {
        self.byteOffset = byteOffset
        self.line = line
        self.rule = rule
    }

    /// Position and rule.
    public var description: String {
        if let line { "line \(line), byte \(byteOffset): \(rule)" } else { "byte \(byteOffset): \(rule)" }
    }
}
