internal import GroupRecords
internal import RecordStorage
package import Sealing
package import TokenCaching
package import UnifiedSchema

/// One entry with everything known about it. Its secrets are opened only on request.
package struct EntryDetail: Sendable {
    package let summary: EntrySummary
    /// Every field except the secret ones.
    package let facts: EntryFacts
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

    /// The secrets of the entry as a `SecretPayload`, in secret memory; nil if it has none.
    ///
    /// - Throws: `tokenGone` if it was removed in the meantime, `damaged`.
    package func payload() throws(TokenCacheError) -> SecretBytes? {
        do throws(StorageError) {
            return try codec.openSecret(of: record, reader: reader)
        } catch {
            throw TokenCacheError(error)
        }
    }

    /// The token of the entry as it is sent in a request, in secret memory; nil if it has none.
    ///
    /// - Throws: the errors of ``payload()``.
    package func token() throws(TokenCacheError) -> SecretBytes? {
        guard let payload = try payload() else { return nil }
        do throws(SchemaError) {
            guard let token = try SecretPayload.token(in: payload.bytes) else { return nil }
            return try EntryDetail.token(token, in: payload)
        } catch {
            throw TokenCacheError(StorageError(stored: error))
        }
    }

    private static func token(
        _ token: SecretPayload.Token,
        in payload: borrowing SecretBytes
    ) throws(SchemaError) -> SecretBytes {
        var failure: SchemaError?
        let secret = try? SecretBytes(byteCount: token.range.count) { (output) throws(SealingError) in
            do throws(SchemaError) {
                try SecretPayload.unescape(token, in: payload.bytes, into: &output)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        guard let secret else {
            throw SchemaError(.limitExceeded, at: 0, rule: "there is no memory for a token")
        }
        return secret
    }
}
