// SPDX-License-Identifier: Apache-2.0

// SAFETY: the array outlives its span.

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
        try translating(try members(of: facts))?.map { member in
            let name = member.name.string
            let isSecret = isSecret[name]
            // Facts contain null in place of a secret; showing it would suggest that the secret is missing.
            let isShown = isSecret.map { !$0 } ?? revealingUnknown
            return EntryField(name: name, value: isShown ? JSONValue(member.value) : nil, isKnown: isSecret != nil)
        }
    }

    /// The members in order. The entry is written as an export would write it, with null in place of each secret.
    private static func members(of facts: EntryFacts) throws(StorageError) -> [UnifiedSchema.JSONValue.Member]? {
        let null = Array("null".utf8)
        let ranges = SecretRanges(ranges: Array(repeating: 0..<null.count, count: facts.secretCount), tokenIndex: nil)
        let payload = try sealing(
            try SecretBytes(byteCount: SecretPayload.byteCount(ranges)) { (output) throws(SealingError) in
                unsafe SecretPayload.write(ranges, of: null.span.bytes, into: &output)
            }
        )
        var writer = DocumentWriter()
        var text = try SecretDocument()
        do throws(DocumentError<StorageError>) {
            try writer.write(facts, payload: payload.bytes) { (bytes) throws(StorageError) in try text.append(bytes) }
            try writer.finish { (bytes) throws(StorageError) in try text.append(bytes) }
        } catch {
            throw StorageError(error)
        }
        let document = text.finish()
        // The document has one section with one entry.
        let value = try? UnifiedSchema.JSONValue(parsing: document.bytes)
        return value?.members.first?.value.members.first?.value.members
    }
}
