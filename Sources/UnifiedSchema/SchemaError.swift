// SPDX-License-Identifier: Apache-2.0

/// Why JSON, an entry or encoded facts could not be read. Contains the location and the violated rule, never content.
package struct SchemaError: Error, Hashable, Sendable {
    package let code: Code
    /// The offset of the byte that violates the rule, from the start of the input.
    package let byteOffset: Int
    /// The line of that byte, counted from 1. Nil if the input has no lines, such as encoded facts.
    package let line: Int?
    /// The rule in words: a sentence without its full stop.
    package let rule: String

    package init(_ code: Code, at byteOffset: Int, line: Int? = nil, rule: String) {
        self.code = code
        self.byteOffset = byteOffset
        self.line = line
        self.rule = rule
    }

    /// The reasons that callers distinguish.
    package enum Code: String, Hashable, Sendable, CaseIterable {
        /// The input is not JSON as defined by RFC 8259, or not UTF-8. Nothing after that location can be read.
        case malformedJSON
        /// The input ended prematurely.
        case unexpectedEnd
        /// Two members of one object, two entries of one section or two sections have the same name.
        case duplicateName
        /// The value must be an object or a section, and is not.
        case notAnObject
        /// The value must be an array, and is not.
        case notAnArray
        /// A limit is exceeded: length, depth or number.
        case limitExceeded
        /// Encoded facts or a secret payload do not have this format.
        case malformedFacts
        /// Encoded facts have an unknown version.
        case unsupportedVersion
        /// A value that an entry requires is missing, or a value is not allowed in it.
        case invalidEntry
    }
}

extension SchemaError: CustomStringConvertible {
    package var description: String {
        if let line { return "\(rule) (line \(line), byte \(byteOffset))" }
        return "\(rule) (byte \(byteOffset))"
    }
}
