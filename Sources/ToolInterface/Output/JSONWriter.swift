// SPDX-License-Identifier: Apache-2.0

/// Writes one JSON document to standard output: members in the given order, the outer two levels on separate lines,
/// everything deeper on one line, so that both users and line-based tools can read it.
///
/// Control characters, and those that reorder text, are written as `\u` escapes: a document is safe on a terminal too.
public final class JSONWriter {
    private let stream: OutputStream
    private var depth = 0
    private var isFirst = true

    private static let brokenDepth = 2

    /// Writes to a stream.
    public init(_ stream: OutputStream) {
        self.stream = stream
    }

    /// The document: an object that begins with `schema_version`.
    @discardableResult
    public func document<Result>(_ body: () throws -> Result) rethrows -> Result {
        let result = try enclosed("{", "}") {
            member("schema_version", 1)
            return try body()
        }
        stream.write("\n")
        return result
    }

    /// An object on one line of its own that begins with `schema_version`, for programs that read line by line.
    public func line(_ body: () -> Void) {
        depth = Self.brokenDepth
        isFirst = true
        enclosed("{", "}") {
            member("schema_version", 1)
            body()
        }
        depth = 0
        stream.write("\n")
    }

    // MARK: - Members of an object

    /// A text.
    public func member(_ name: String, _ value: String) { key(name); string(value) }
    /// A number.
    public func member(_ name: String, _ value: Int) { key(name); stream.write("\(value)") }
    /// A number.
    public func member(_ name: String, _ value: Int64) { key(name); stream.write("\(value)") }
    /// A truth value.
    public func member(_ name: String, _ value: Bool) { key(name); stream.write(value ? "true" : "false") }
    /// No value.
    public func null(_ name: String) { key(name); stream.write("null") }

    /// A value or null: optional members are always present.
    public func member(_ name: String, _ value: String?) { if let value { member(name, value) } else { null(name) } }
    /// A value or null.
    public func member(_ name: String, _ value: Int64?) { if let value { member(name, value) } else { null(name) } }
    /// A value or null.
    public func member(_ name: String, _ value: Bool?) { if let value { member(name, value) } else { null(name) } }

    /// A list of strings, on one line.
    public func member(_ name: String, _ values: [String]) {
        member(name, rawJSON: "[" + values.map { "\"" + Self.escaped($0) + "\"" }.joined(separator: ", ") + "]")
    }

    /// An object.
    public func object(_ name: String, _ body: () throws -> Void) rethrows {
        key(name)
        try enclosed("{", "}", body)
    }

    /// An array.
    @discardableResult
    public func array<Result>(_ name: String, _ body: () throws -> Result) rethrows -> Result {
        key(name)
        return try enclosed("[", "]", body)
    }

    /// A member whose value is JSON already.
    public func member(_ name: String, rawJSON text: String) {
        key(name)
        for scalar in text.unicodeScalars where VisibleText.isUnsafe(scalar) && scalar.value >= 0x20 {
            // Valid in JSON as it is, but not safe on a terminal.
            return stream.write(Self.visible(text))
        }
        stream.write(text)
    }

    /// A member whose value is a secret: its bytes go directly to the stream.
    public func member(_ name: String, secret bytes: RawSpan) {
        key(name)
        stream.write("\"")
        SecretText.writeEscaped(bytes, to: stream)
        stream.write("\"")
    }

    // MARK: - Elements of an array

    /// An object.
    public func objectElement(_ body: () throws -> Void) rethrows {
        separate()
        try enclosed("{", "}", body)
    }

    // MARK: - Text

    private func key(_ name: String) {
        separate()
        string(name)
        stream.write(": ")
    }

    private func separate() {
        if !isFirst { stream.write(depth <= Self.brokenDepth ? "," : ", ") }
        isFirst = false
        if depth <= Self.brokenDepth { newLine() }
    }

    private func enclosed<Result>(_ open: String, _ close: String, _ body: () throws -> Result) rethrows -> Result {
        stream.write(open)
        depth += 1
        isFirst = true
        let result = try body()
        depth -= 1
        if !isFirst && depth < Self.brokenDepth { newLine() }
        isFirst = false
        stream.write(close)
        return result
    }

    private func newLine() {
        stream.write("\n" + String(repeating: "  ", count: depth))
    }

    private func string(_ text: String) {
        stream.write("\"")
        var plain = true
        for byte in text.utf8 where byte < 0x20 || byte == 0x22 || byte == 0x5C || byte >= 0x7F { plain = false }
        stream.write(plain ? text : Self.escaped(text))
        stream.write("\"")
    }

    /// The content of a JSON string.
    public static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case "\r": result += "\\r"
            case _ where VisibleText.isUnsafe(scalar): result += escape(scalar)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func visible(_ json: String) -> String {
        var result = ""
        for scalar in json.unicodeScalars {
            if VisibleText.isUnsafe(scalar) && scalar.value >= 0x20 {
                result += escape(scalar)
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// `\u001b`; two of them for a scalar outside the basic plane.
    private static func escape(_ scalar: Unicode.Scalar) -> String {
        UTF16.encode(scalar)?.map { unit in
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
        }.joined() ?? ""
    }
}
