// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
package import RecordStorage
package import Sealing
internal import UnifiedSchema

/// The decrypted secret of a token, in secret memory: wiped when it is destroyed.
package struct TokenSecret: ~Copyable, Sendable {
    private let payload: SecretBytes
    private let range: Range<Int>

    /// Extracts the token from an entry's secret payload.
    ///
    /// - Throws: `damaged` if it contains none, `forkedProcess`, `outOfMemory`.
    package init(in payload: consuming SecretBytes) throws(StorageError) {
        guard let token = try RecordCodec.decoding(try SecretPayload.token(in: payload.bytes)) else {
            throw StorageError(.damaged, detail: "a token has no secret")
        }
        if token.hasEscapes {
            self.payload = try TokenSecret.unescaped(token, in: payload)
            range = 0..<self.payload.byteCount
        } else {
            self.payload = payload
            range = token.range
        }
    }

    /// The token in UTF-8.
    package var bytes: RawSpan {
        @_lifetime(borrow self)
        get { payload.bytes.extracting(range) }
    }

    func withBytes(_ body: (RawSpan) -> Void) { body(bytes) }

    /// Whether both are the same token. The time depends only on the lengths.
    func isEqual(to other: borrowing TokenSecret) -> Bool {
        SecretMemory.isEqual(bytes, other.bytes)
    }

    private static func unescaped(
        _ token: SecretPayload.Token,
        in payload: borrowing SecretBytes
    ) throws(StorageError) -> SecretBytes {
        var failure: SchemaError?
        let text = try sealing(
            try SecretBytes(byteCount: token.range.count) { (output) throws(SealingError) in
                do throws(SchemaError) {
                    try SecretPayload.unescape(token, in: payload.bytes, into: &output)
                } catch {
                    failure = error
                }
            }
        )
        if let failure { throw StorageError(stored: failure) }
        return text
    }
}

extension RecordCodec {
    /// The token of a record; nil if it has none, or if it cannot be read any more.
    func token(of record: StoredRecord, _ reader: any BoxReader) throws(StorageError) -> TokenSecret? {
        do throws(StorageError) {
            guard let payload = try openSecret(of: record, reader: reader) else { return nil }
            return try TokenSecret(in: payload)
        } catch {
            guard error.code == .tokenGone || error.code == .damaged else { throw error }
            return nil
        }
    }
}

/// A secret that several others are compared with.
final class KnownSecret: Sendable {
    let secret: TokenSecret

    init(_ secret: consuming TokenSecret) {
        self.secret = secret
    }
}

extension PartitionFacts {
    /// Reads and opens the token of a row.
    ///
    /// - Throws: `tokenGone` if it was removed in the meantime, `damaged`, `forkedProcess`.
    func openToken(of row: Int) throws(StorageError) -> TokenSecret {
        try TokenSecret(in: try openPayload(of: row))
    }

    /// Reads and opens the secret payload of a row.
    ///
    /// - Throws: the errors of ``openToken(of:)``.
    func openPayload(of row: Int) throws(StorageError) -> SecretBytes {
        let row = self.row(row)
        let payload = try RecordCodec.openSecret(
            at: row.secret,
            tag: row.tag,
            kind: row.kind,
            sequence: row.sequence,
            reader: reader,
            sealer: sealer
        )
        guard let payload else { throw StorageError(.damaged, detail: "a token has no secret") }
        return payload
    }

    /// The same; nil if the token was removed in the meantime or cannot be read.
    func openTokenIfReadable(of row: Int) throws(StorageError) -> KnownSecret? {
        do throws(StorageError) {
            return KnownSecret(try openToken(of: row))
        } catch {
            guard error.code == .tokenGone || error.code == .damaged else { throw error }
            return nil
        }
    }
}
