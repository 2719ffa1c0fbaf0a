// SPDX-License-Identifier: Apache-2.0

package import GroupRecords
package import RecordStorage
internal import UnifiedSchema

/// A refresh token that a sign-out removed, and that could not be revoked.
///
/// It is kept sealed for a day, only to repeat the request: it is never returned as a token, listed, exported or
/// imported. A group keeps 16; a further one replaces the oldest. Removing the account or clearing the group removes it.
public struct PendingRevocation: Hashable, Sendable {
    /// The application that the token was issued to.
    public let clientID: String

    /// The account: a home account id, or the username of an account without one.
    public let accountID: Account.ID

    /// Whether ``accountID`` is a home account id.
    public let hasHomeAccountID: Bool

    /// The host of the authority that the account came from.
    public let environment: String

    /// The URL of the authority that issued the token.
    public let authority: String

    /// When the account was signed out.
    public let keptOn: Timestamp

    /// When it can no longer be repeated. The next save or sign-out then removes the token.
    public let expiresOn: Timestamp

    /// Its record.
    let tag: RecordTag

    init(_ note: RevocationNote, tag: RecordTag) {
        clientID = note.clientID
        accountID = note.accountID
        hasHomeAccountID = note.hasHomeAccountID
        environment = note.environment
        authority = note.authority
        keptOn = Timestamp(secondsSince1970: note.time)
        expiresOn = Timestamp(secondsSince1970: note.time + RevocationNote.lifetime)
        self.tag = tag
    }

    /// The valid ones in the group's partition, oldest first.
    package static func all(
        in contents: PartitionContents,
        codec: RecordCodec,
        now: Int64
    ) throws(StorageError) -> [PendingRevocation] {
        guard contents.records.contains(where: { $0.kind.isPendingRevocation }) else { return [] }
        let stored = try PartitionEntries(contents, codec: codec, where: \.isPendingRevocation)
        return stored.revocations.filter { $0.note.counts(at: now) }
            .map { PendingRevocation($0.note, tag: $0.record.tag) }
            .sorted { ($0.keptOn, $0.tag) < ($1.keptOn, $1.tag) }
    }
}

extension PendingRevocation: CustomStringConvertible, CustomReflectable {
    /// When it expires; no identity.
    public var description: String { "PendingRevocation(until \(expiresOn.secondsSince1970))" }

    /// No children, so that identities do not appear in logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
