// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
internal import RecordStorage
internal import UnifiedSchema

/// Finds an account's duplicates of a redeemed refresh token, because some libraries store one token under several
/// keys.
struct DuplicateRefreshTokens {
    private let tokens: [StoredEntry]
    private let reader: any BoxReader
    private let codec: RecordCodec
    private let client: UTF8Text

    init(_ stored: PartitionEntries, codec: RecordCodec, client: UTF8Text) {
        tokens = stored.entries.filter(\.fields.kind.isPlainRefreshToken)
        reader = stored.reader
        self.codec = codec
        self.client = client
    }

    /// The entries with this secret. Opens the secrets of all refresh tokens.
    func copies(of redeemed: KnownSecret) throws(StorageError) -> [StoredEntry] {
        var found: [StoredEntry] = []
        for token in tokens {
            guard let secret = try codec.token(of: token.record, reader) else { continue }
            if redeemed.secret.isEqual(to: secret) { found.append(token) }
        }
        return found
    }

    /// Whether a later transaction stored a refresh token that the client obtained or shares with its family.
    func hasNewer(than sequence: UInt64, _ session: FamilySession) -> Bool {
        tokens.contains { token in
            guard token.record.sequence > sequence, token.fields.isolation.isNone else { return false }
            return token.fields.clientID == client || session.shares(token.fields)
        }
    }
}
