/// A JSON value as it was read: members in their order, numbers as their text.
indirect enum JSONValue: Hashable {
    case null
    case boolean(Bool)
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([Member])

    struct Member: Hashable {
        let name: String
        let value: JSONValue
    }

    /// The members of an object.
    var members: [Member]? {
        if case .object(let members) = self { members } else { nil }
    }

    /// The text of a string.
    var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// A whole number, also where it was written with a fraction of zero or as a string.
    var integer: Int64? {
        switch self {
        case .number(let text), .string(let text): Int64(text) ?? Double(text).flatMap { Int64(exactly: $0) }
        default: nil
        }
    }

    /// On one line, safe on a terminal.
    var json: String {
        switch self {
        case .null: "null"
        case .boolean(let value): value ? "true" : "false"
        case .number(let text): text
        case .string(let text): "\"" + JSONWriter.escaped(text) + "\""
        case .array(let values): "[" + values.map(\.json).joined(separator: ", ") + "]"
        case .object(let members):
            "{" + members.map { "\"" + JSONWriter.escaped($0.name) + "\": " + $0.value.json }.joined(separator: ", ")
                + "}"
        }
    }
}
