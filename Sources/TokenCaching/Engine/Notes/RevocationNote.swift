// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
package import RecordStorage
package import UnifiedSchema

/// A refresh token that a sign-out removed and that is not revoked yet: an internal record, whose secret box contains the
/// token.
package struct RevocationNote: Hashable, Sendable {
    private let record: InternalRecordFacts

    /// How long it is kept, in seconds.
    static let lifetime: Int64 = 24 * 3600
    /// The maximum number per group; beyond it the oldest are removed.
    static let limit = 16

    init(clientID: String, account: Account, authority: String, at time: Int64) {
        var record = InternalRecordFacts()
        record[text: .clientID] = clientID
        record[text: .account] = account.id.text
        record[bytes: .value] = [account.hasHomeAccountID ? 1 : 0]
        record[number: .time] = time
        record[text: .environment] = account.environment
        record[text: .authority] = authority
        self.record = record
    }

    /// Decodes the plaintext of a facts box of ``InternalRecordKind/pendingRevocation``.
    ///
    /// - Throws: `damaged` for content that names no client, account, authority or time, `unsupportedVersion` for a later
    ///   version.
    package init(decoding bytes: [UInt8]) throws(StorageError) {
        record = try InternalRecordFacts(decoding: bytes)
        guard record[text: .clientID] != nil, record[text: .account] != nil, record[text: .authority] != nil,
            record[number: .time] != nil
        else { throw StorageError(.damaged, detail: "a pending revocation is malformed") }
    }

    package func encoded() -> [UInt8] { record.encoded() }

    /// The client, as its application wrote it: servers may compare it exactly.
    var clientID: String { record[text: .clientID] ?? "" }

    var accountID: Account.ID { Account.ID(record[text: .account] ?? "") }

    var hasHomeAccountID: Bool { record[bytes: .value]?.first == 1 }

    var environment: String { record[text: .environment] ?? "" }

    /// The URL of the authority that issued the token.
    var authority: String { record[text: .authority] ?? "" }

    /// When it was kept, in seconds since 1970.
    var time: Int64 { record[number: .time] ?? 0 }

    /// Whether it is of a client, folded.
    func isOf(client: String) -> Bool { UTF8Text(clientID).normalized() == UTF8Text(client) }

    /// Whether it is of an account, named by its home account id or username, folded.
    package func isOf(account: UTF8Text) -> Bool { HomeAccountID.comparable(UTF8Text(accountID.text)) == account }

    /// Whether it may still be sent. One that is far in the future was written before the clock was set.
    package func counts(at now: Int64) -> Bool { now > time - Self.lifetime && now < time + Self.lifetime }
}
