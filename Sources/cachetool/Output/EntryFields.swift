// SAFETY: the arrays outlive the spans of them; offsets are below their byte counts.

import Sealing
import TokenCaching
import UnifiedSchema

/// The fields of one entry as in its document, without secrets.
struct EntryFields {
    struct Field {
        let name: String
        /// Nil for a secret.
        let value: JSONValue?
        /// Whether any MSAL library is known to use the field. The content of others is unknown.
        let isKnown: Bool
    }

    let fields: [Field]

    private static let known = Dictionary(
        MemberName.allCases.map { ($0.text.description, $0.isSecret) },
        uniquingKeysWith: { $0 || $1 }
    )

    /// Reads the facts of an entry. No secret is opened.
    init(_ facts: EntryFacts) {
        guard facts.kind != .opaque, let members = Self.members(of: facts) else {
            fields = []
            return
        }
        fields = members.map { member in
            let name = member.name.string
            let isSecret = Self.known[name]
            // A null is not a secret: it says that there is none. The facts here contain null in place of secrets, too.
            return Field(
                name: name,
                value: isSecret == true ? nil : member.value,
                isKnown: isSecret != nil
            )
        }
    }

    /// The members in order: the entry is exported with null for each secret.
    private static func members(of facts: EntryFacts) -> [JSONValue.Member]? {
        let null = Array("null".utf8)
        let count = facts.secretCount
        let ranges = SecretRanges(ranges: Array(repeating: 0..<null.count, count: count), tokenIndex: nil)
        var document: [UInt8] = []
        do {
            let size = SecretPayload.byteCount(ranges)
            let payload = try SecretBytes(byteCount: size) { (output) throws(SealingError) in
                unsafe SecretPayload.write(ranges, of: null.span.bytes, into: &output)
            }
            try write(facts, payload, to: &document)
        } catch {
            return nil
        }
        // A document of one section with one entry.
        let value = try? unsafe JSONValue(parsing: document.span.bytes)
        return value?.members.first?.value.members.first?.value.members
    }

    private static func write(
        _ facts: EntryFacts,
        _ payload: borrowing SecretBytes,
        to document: inout [UInt8]
    ) throws {
        var writer = DocumentWriter()
        func append(_ piece: RawSpan) {
            for offset in piece.byteOffsets {
                document.append(unsafe piece.unsafeLoad(fromByteOffset: offset, as: UInt8.self))
            }
        }
        try writer.write(facts, payload: payload.bytes, to: append)
        try writer.finish(to: append)
    }
}
