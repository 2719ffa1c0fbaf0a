// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
internal import RecordStorage
public import TokenCaching
internal import UnifiedSchema

/// A JSON value of an entry or a token. Members keep their order, and numbers their spelling.
public enum JSONValue: Hashable, Sendable {
    /// An object.
    case object([Member])
    /// An array.
    case array([JSONValue])
    /// A string, unescaped.
    case string(String)
    /// A number, as written; also `NaN` and `Infinity`, which some libraries write.
    case number(String)
    /// A Boolean value.
    case boolean(Bool)
    /// The null value.
    case null

    /// A member of an object.
    public struct Member: Hashable, Sendable {
        /// The name of the member.
        public let name: String
        /// The value of the member.
        public let value: JSONValue

        /// Creates a member.
        public init(name: String, value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// Parses a single JSON value of at most 32 nested levels.
    ///
    /// - Throws: `malformedDocument` if the bytes are not valid JSON, `tooLarge` if they are nested too deeply.
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

    /// The time given by a number, or a string with a number, in seconds since 1970, without the fraction; nil for
    /// other values.
    public var timestamp: Timestamp? {
        switch self {
        case .string(let text), .number(let text): Seconds.parse(UTF8Text(text)).map(Timestamp.init(secondsSince1970:))
        default: nil
        }
    }
}

extension JSONValue: CustomStringConvertible, CustomReflectable {
    /// The kind of value, without content.
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

    /// No children, so that content stays out of logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
