/// Why JSON, an entry or encoded facts could not be read. Tells place and rule, never content.
package struct SchemaError: Error, Hashable, Sendable {
    package let code: Code
    /// Offset of the byte at which the rule was broken, from the start of what was read.
    package let byteOffset: Int
    /// Line of that byte, the first being 1. Nil where the input has no lines, such as encoded facts.
    package let line: Int?
    /// The rule in words, a sentence without its full stop.
    package let rule: String

    package init(_ code: Code, at byteOffset: Int, line: Int? = nil, rule: String) {
        self.code = code
        self.byteOffset = byteOffset
        self.line = line
        self.rule = rule
    }

    /// The cases that callers tell apart.
    package enum Code: String, Hashable, Sendable, CaseIterable {
        /// Not JSON as RFC 8259 defines it, or not UTF-8. Nothing behind that place can be read.
        case malformedJSON
        /// The input ended in the middle.
        case unexpectedEnd
        /// Two members of one object, two entries of one section or two sections have the same name.
        case duplicateName
        /// An object or a section where its members would have to be is something else.
        case notAnObject
        /// Something else stands where an array must.
        case notAnArray
        /// Longer, deeper or more than the limits that were given allow.
        case limitExceeded
        /// Encoded facts or a secret payload that were not written by this format.
        case malformedFacts
        /// Encoded facts of a version that this one does not know.
        case unsupportedVersion
        /// A value that an entry needs is missing or has no place in it.
        case invalidEntry
    }

    /// The same error, counted from `offset` bytes earlier.
    package func moved(by offset: Int) -> SchemaError {
        SchemaError(code, at: byteOffset + offset, line: line, rule: rule)
    }

    /// The same error on a known line.
    package func onLine(_ line: Int) -> SchemaError {
        SchemaError(code, at: byteOffset, line: line, rule: rule)
    }
}

extension SchemaError: CustomStringConvertible {
    package var description: String {
        if let line { return "\(rule) (line \(line), byte \(byteOffset))" }
        return "\(rule) (byte \(byteOffset))"
    }
}
