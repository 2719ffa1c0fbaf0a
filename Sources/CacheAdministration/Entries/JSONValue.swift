internal import GroupRecords
internal import RecordStorage
public import TokenCaching
internal import UnifiedSchema

/// A JSON value of an entry or of a token, as it stands there: members keep their order, numbers their text.
public enum JSONValue: Hashable, Sendable {
    /// An object.
    case object([Member])
    /// An array.
    case array([JSONValue])
    /// A text, without its escapes.
    case string(String)
    /// A number, as it was written; `NaN` and `Infinity`, which some libraries write, too.
    case number(String)
    /// A truth value.
    case boolean(Bool)
    /// Nothing.
    case null

    /// One member of an object.
    public struct Member: Hashable, Sendable {
        /// Its name.
        public let name: String
        /// Its value.
        public let value: JSONValue

        /// A member of this name.
        public init(name: String, value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// Reads one value, alone but for white space, and not nested deeper than 32 levels.
    ///
    /// - Throws: `malformedDocument` for what is no JSON, `tooLarge` for what is nested deeper.
    public init(parsing bytes: RawSpan) throws(TokenCacheError) {
        do throws(SchemaError) {
            self.init(try UnifiedSchema.JSONValue(parsing: bytes))
        } catch {
            throw TokenCacheError(StorageError(document: error))
        }
    }

    init(_ value: UnifiedSchema.JSONValue) {
        self =
            switch value {
            case .object(let members):
                .object(members.map { Member(name: $0.name.string, value: JSONValue($0.value)) })
            case .array(let elements): .array(elements.map { JSONValue($0) })
            case .string(let text): .string(text.string)
            case .number(let text): .number(text.string)
            case .boolean(let value): .boolean(value)
            case .null: .null
            }
    }

    /// The members of an object; empty for everything else.
    public var members: [Member] {
        if case .object(let members) = self { members } else { [] }
    }

    /// The moment that a number, or a text that is one, tells in seconds since 1970, without what is behind the point; nil for
    /// everything else.
    public var timestamp: Timestamp? {
        switch self {
        case .string(let text), .number(let text): Seconds.parse(UTF8Text(text)).map(Timestamp.init(secondsSince1970:))
        default: nil
        }
    }
}

extension JSONValue: CustomStringConvertible, CustomReflectable {
    /// What kind of value it is; no content.
    public var description: String {
        switch self {
        case .object: "JSONValue(object)"
        case .array: "JSONValue(array)"
        case .string: "JSONValue(string)"
        case .number: "JSONValue(number)"
        case .boolean: "JSONValue(boolean)"
        case .null: "JSONValue(null)"
        }
    }

    /// No children: content stays out of logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
