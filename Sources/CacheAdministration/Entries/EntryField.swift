// SPDX-License-Identifier: Apache-2.0

// SAFETY: the arrays outlive their spans; offsets are below the spans' byte counts.

internal import GroupRecords
internal import RecordStorage
internal import Sealing
internal import TokenCaching
internal import UnifiedSchema

/// One field of an entry, as in the cache document that other libraries read.
public struct EntryField: Hashable, Sendable {
    /// The name of the field.
    public let name: String
    /// The value; nil for a secret, and for an unknown field unless its value was requested.
    public let value: JSONValue?
    /// Whether a known library defines the field. Other fields may contain anything.
    public let isKnown: Bool
}

extension EntryField: CustomStringConvertible, CustomReflectable {
    /// The name, without the value.
    public var description: String { "EntryField(\(name))" }

    /// No children, so that content stays out of logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension EntryField {
    private static let isSecret = Dictionary(
        MemberName.allCases.map { ($0.text.description, $0.isSecret) },
        uniquingKeysWith: { $0 || $1 }
    )

    /// - Returns: nil if a string is not valid Unicode.
    static func fields(of facts: EntryFacts, revealingUnknown: Bool) throws(TokenCacheError) -> [EntryField]? {
        try members(of: facts)?.map { member in
            let name = member.name.string
            let isSecret = isSecret[name]
            // Facts contain null in place of a secret; showing it would suggest that the secret is missing.
            let isShown = isSecret.map { !$0 } ?? revealingUnknown
            return EntryField(name: name, value: isShown ? JSONValue(member.value) : nil, isKnown: isSecret != nil)
        }
    }

    /// The members in order. The entry is written as an export would write it, with null in place of each secret.
    private static func members(
        of facts: EntryFacts
    ) throws(TokenCacheError) -> [UnifiedSchema.JSONValue.Member]? {
        let null = Array("null".utf8)
        let ranges = SecretRanges(ranges: Array(repeating: 0..<null.count, count: facts.secretCount), tokenIndex: nil)
        let payload = try translating(
            try sealing(
                try SecretBytes(byteCount: SecretPayload.byteCount(ranges)) { (output) throws(SealingError) in
                    unsafe SecretPayload.write(ranges, of: null.span.bytes, into: &output)
                }
            )
        )
        var document: [UInt8] = []
        do throws(DocumentError<Never>) {
            try write(facts, payload, to: &document)
        } catch {
            switch error {
            case .schema(let error): throw TokenCacheError(StorageError(stored: error))
            }
        }
        // The document has one section with one entry.
        let value = try? unsafe UnifiedSchema.JSONValue(parsing: document.span.bytes)
        return value?.members.first?.value.members.first?.value.members
    }

    private static func write(
        _ facts: EntryFacts,
        _ payload: borrowing SecretBytes,
        to document: inout [UInt8]
    ) throws(DocumentError<Never>) {
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
