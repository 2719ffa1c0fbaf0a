// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
package import GroupRecords
package import RecordStorage
internal import Sealing
internal import UnifiedSchema

/// Numbers of tokens: keyed hashes, those of their leases, by which a token is recognised without being kept.
extension RecordCodec {
    /// The number of the token in a secret payload; nil if it contains none.
    ///
    /// - Throws: `damaged`, `forkedProcess`, `outOfMemory`.
    package func tokenNumber(in payload: RawSpan) throws(StorageError) -> UInt64? {
        guard let token = try RecordCodec.decoding(try SecretPayload.token(in: payload)) else { return nil }
        let sealer = try unlockedKeys.tagSealer()
        if token.hasEscapes {
            let secret = try TokenSecret(in: try sealing(try SecretBytes(copying: payload)))
            return try sealing(try secret.leaseNumber(with: sealer))
        }
        return try sealing(try sealer.leaseNumber(kind: 1, secret: payload.extracting(token.range)))
    }

    /// The number of a record's token; nil if it has none, or if it cannot be read any more.
    package func tokenNumber(of record: StoredRecord, _ reader: any BoxReader) throws(StorageError) -> UInt64? {
        guard let token = try token(of: record, reader) else { return nil }
        let sealer = try unlockedKeys.tagSealer()
        return try sealing(try token.leaseNumber(with: sealer))
    }
}

extension PartitionEntries {
    /// The numbers of the tokens that a removal takes from a client. What cannot be read is left out: no removal fails
    /// because of it.
    package func tokenNumbers(_ codec: RecordCodec, of isTaken: (StoredEntry) -> Bool) -> [UInt64] {
        let taken = entries.filter { $0.fields.kind.isCredential && isTaken($0) }
        // Of many, the last are remembered: refresh tokens bring an account back.
        let refreshTokensLast =
            taken.filter { !$0.fields.kind.isRefreshToken } + taken.filter { $0.fields.kind.isRefreshToken }
        return refreshTokensLast.compactMap { try? codec.tokenNumber(of: $0.record, reader) }
    }
}
