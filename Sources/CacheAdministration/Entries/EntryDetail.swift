// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
internal import RecordStorage
internal import Sealing
public import TokenCaching
internal import UnifiedSchema

/// One entry in full. Its secret stays sealed until you ask for it.
public struct EntryDetail: Sendable {
    /// The summary that lists show.
    public let summary: EntrySummary
    /// All fields except the secrets.
    private let facts: EntryFacts
    private let record: StoredRecord
    private let reader: any BoxReader
    private let codec: RecordCodec

    init(_ entry: ListedEntry, summary: EntrySummary, codec: RecordCodec) {
        self.summary = summary
        facts = entry.facts
        record = entry.record
        reader = entry.reader
        self.codec = codec
    }

    /// Returns the fields of the entry in the order of its document, without opening a secret.
    ///
    /// - Parameter revealingUnknown: whether to return the values of fields that no known library defines. They may
    ///   contain secrets.
    /// - Returns: the fields; nil if this version does not understand the entry, or if one of its strings is not valid
    ///   Unicode. Such an entry is kept and exported unchanged.
    /// - Throws: `outOfMemory`, `damaged`.
    public func fields(revealingUnknown: Bool = false) throws(TokenCacheError) -> [EntryField]? {
        guard facts.kind != .opaque else { return nil }
        return try EntryField.fields(of: facts, revealingUnknown: revealingUnknown)
    }

    /// The names under which libraries store the entry, computed from its fields. Opens no secret.
    public var keys: EntryKeys { EntryKeys(facts) }

    /// Decodes the parts of an access token or id token that can be read without a key.
    ///
    /// Opens the token to decode it, and wipes it afterwards.
    ///
    /// - Returns: the decoded token; nil for other kinds of entry, and if the entry has no token.
    /// - Throws: as ``withSecret(_:)``.
    public func decodedToken() throws(TokenCacheError) -> DecodedToken? {
        guard facts.kind.isIDToken || facts.kind.isAccessToken else { return nil }
        return try withSecret { (bytes) throws(TokenCacheError) in DecodedToken(bytes) }
    }

    /// Opens the token of the entry and passes its bytes to `body`. They are wiped when `body` returns.
    ///
    /// - Parameter body: receives the token as UTF-8. The bytes must not escape from it.
    /// - Returns: the result of `body`; nil if the entry has no token.
    /// - Throws: `tokenGone` if the token was removed in the meantime, `damaged`, and the errors of `body`.
    public func withSecret<Result>(
        _ body: (RawSpan) throws(TokenCacheError) -> Result
    ) throws(TokenCacheError) -> Result? {
        guard let token = try translating(try token()) else { return nil }
        return try body(token.bytes)
    }

    /// The token of the entry; nil if it has none.
    private func token() throws(StorageError) -> TokenSecret? {
        guard let payload = try codec.openSecret(of: record, reader: reader) else { return nil }
        guard try RecordCodec.decoding(try SecretPayload.token(in: payload.bytes)) != nil else { return nil }
        return try TokenSecret(in: payload)
    }
}

extension EntryDetail: CustomStringConvertible, CustomReflectable {
    /// The kind of entry, without content.
    public var description: String { "EntryDetail(\(summary.kind))" }

    /// No children, so that content stays out of logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
