// SPDX-License-Identifier: Apache-2.0

public import TokenCaching

/// Writes one JSON document to standard output: members in the given order, the outer two levels on separate lines,
/// everything deeper on one line, so that both users and line-based tools can read it.
///
/// Control characters, and those that reorder text, are written as `\u` escapes: a document is safe on a terminal too.
public final class JSONWriter {
    private let stream: OutputStream
    private var text = JSONText()

    private static let pieceSize = 4 * 1_024

    /// Writes to a stream.
    public init(_ stream: OutputStream) {
        self.stream = stream
    }

    /// Writes the document: an object that begins with `schema_version`.
    @discardableResult
    public func document<Result>(_ body: () throws -> Result) rethrows -> Result {
        defer { passOn() }
        let result = try enclosed("{", "}") {
            member("schema_version", 1)
            return try body()
        }
        text.append("\n")
        return result
    }

    /// Writes an object on a line of its own that begins with `schema_version`, for programs that read line by line.
    public func line(_ body: () -> Void) {
        text.beginLine()
        enclosed("{", "}") {
            member("schema_version", 1)
            body()
        }
        text.endLine()
        passOn()
    }

    // MARK: - Members of an object

    /// A text.
    public func member(_ name: String, _ value: String) { text.member(name, quoting: value) }
    /// A number.
    public func member(_ name: String, _ value: Int) { text.member(name, String(value)) }
    /// A number.
    public func member(_ name: String, _ value: Int64) { text.member(name, String(value)) }
    /// A truth value.
    public func member(_ name: String, _ value: Bool) { text.member(name, value ? "true" : "false") }
    /// No value.
    public func null(_ name: String) { text.member(name, "null") }

    /// A value or null: optional members are always present.
    public func member(_ name: String, _ value: String?) { if let value { member(name, value) } else { null(name) } }
    /// A value or null.
    public func member(_ name: String, _ value: Int64?) { if let value { member(name, value) } else { null(name) } }
    /// A value or null.
    public func member(_ name: String, _ value: Bool?) { if let value { member(name, value) } else { null(name) } }

    /// An account: its home account id as entries contain it, and the issuer at which that is a subject; null if there is none.
    public func account(_ id: Account.ID?) {
        member("home_account_id", id?.homeAccountID)
        member("issuer", id?.issuer)
    }

    /// A list of strings, on one line.
    public func member(_ name: String, _ values: [String]) { text.member(name, quoting: values) }

    /// An object.
    public func object(_ name: String, _ body: () throws -> Void) rethrows {
        text.key(name)
        try enclosed("{", "}", body)
    }

    /// An array.
    @discardableResult
    public func array<Result>(_ name: String, _ body: () throws -> Result) rethrows -> Result {
        text.key(name)
        return try enclosed("[", "]", body)
    }

    /// A member whose value is already JSON.
    public func member(_ name: String, rawJSON json: String) {
        let isSafe = !json.unicodeScalars.contains { VisibleText.isUnsafe($0) && $0.value >= 0x20 }
        // JSON allows these characters unescaped, but they are unsafe on a terminal.
        text.member(name, isSafe ? json : Self.visible(json))
    }

    /// A member whose value is a secret. Its bytes go directly to the stream.
    public func member(_ name: String, secret bytes: RawSpan) {
        text.key(name)
        text.append("\"")
        passOn()
        SecretText.writeEscaped(bytes, to: stream)
        text.append("\"")
    }

    // MARK: - Elements of an array

    /// An object.
    public func objectElement(_ body: () throws -> Void) rethrows {
        text.separate()
        try enclosed("{", "}", body)
        if text.bytes.count >= Self.pieceSize { passOn() }
    }

    private func enclosed<Result>(_ open: String, _ close: String, _ body: () throws -> Result) rethrows -> Result {
        text.open(open)
        let result = try body()
        text.close(close)
        return result
    }

    private func passOn() {
        stream.write(text.bytes)
        text.bytes.removeAll(keepingCapacity: true)
    }

    // MARK: - Text

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
        json.unicodeScalars.map { scalar in
            VisibleText.isUnsafe(scalar) && scalar.value >= 0x20 ? escape(scalar) : String(scalar)
        }.joined()
    }

    /// The escape of a scalar, such as `\u001b`; two escapes for a scalar outside the basic plane.
    private static func escape(_ scalar: Unicode.Scalar) -> String {
        UTF16.encode(scalar)?.map { unit in
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
        }.joined() ?? ""
    }
}
