// SPDX-License-Identifier: Apache-2.0

/// The part of a JSON document that was not written yet, and the current position in its structure.
///
/// Collects bytes in a value type instead of writing strings one by one: a list of 400,000 entries has six million
/// members.
struct JSONText {
    var bytes: [UInt8] = []
    private var depth = 0
    private var isFirst = true

    /// Objects and arrays down to this depth have each member on a line of its own.
    private static let brokenDepth = 2

    mutating func append(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    /// Appends a name, and the separator after the preceding member.
    mutating func key(_ name: String) {
        separate()
        quote(name)
        append(": ")
    }

    /// Appends a member whose value is already JSON.
    mutating func member(_ name: String, _ json: String) {
        key(name)
        append(json)
    }

    mutating func member(_ name: String, quoting value: String) {
        key(name)
        quote(value)
    }

    mutating func member(_ name: String, quoting values: [String]) {
        key(name)
        append("[")
        for (index, value) in values.enumerated() {
            if index > 0 { append(", ") }
            quote(value)
        }
        append("]")
    }

    mutating func separate() {
        if !isFirst { append(depth <= Self.brokenDepth ? "," : ", ") }
        isFirst = false
        if depth <= Self.brokenDepth { newLine() }
    }

    /// Begins an object or an array.
    mutating func open(_ bracket: String) {
        append(bracket)
        depth += 1
        isFirst = true
    }

    /// Ends an object or an array.
    mutating func close(_ bracket: String) {
        depth -= 1
        if !isFirst && depth < Self.brokenDepth { newLine() }
        isFirst = false
        append(bracket)
    }

    /// Begins a document on a single line.
    mutating func beginLine() {
        depth = Self.brokenDepth
        isFirst = true
    }

    /// Ends a document on a single line.
    mutating func endLine() {
        depth = 0
        append("\n")
    }

    private mutating func newLine() {
        append("\n")
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * depth))
    }

    private mutating func quote(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        append(Self.isPlain(text) ? text : JSONWriter.escaped(text))
        bytes.append(UInt8(ascii: "\""))
    }

    /// Whether the text is printable ASCII that JSON does not escape.
    private static func isPlain(_ text: String) -> Bool {
        let bytes = text.utf8.span
        for index in bytes.indices {
            let byte = bytes[index]
            if byte < 0x20 || byte >= 0x7F || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return false }
        }
        return true
    }
}
