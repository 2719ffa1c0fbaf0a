// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
internal import RecordStorage
package import UnifiedSchema

/// Determines which other clients are signed in to an account through a family's refresh token.
package struct FamilySession {
    private let entries: PartitionEntries
    /// The entries of the group's partition, with the app metadata.
    private let group: PartitionEntries
    private let clouds: CloudTable
    /// The client that signs out, folded.
    private let client: UTF8Text

    /// - Parameters:
    ///   - entries: the entries of the account.
    ///   - group: the entries of the group's partition.
    ///   - client: the client that signs out, folded.
    ///   - clouds: the known clouds.
    package init(_ entries: PartitionEntries, group: PartitionEntries, client: UTF8Text, clouds: CloudTable) {
        self.entries = entries
        self.group = group
        self.client = client
        self.clouds = clouds
    }

    /// Whether the client shares a token with a family, because it obtained the token or belongs to its family. A token
    /// without a family is not shared.
    package func shares(_ token: CredentialFields) -> Bool {
        guard let family = token.sharingFamily else { return false }
        if token.clientID == client { return true }
        return isMember(client, of: family, token) ?? ClientFamily.isTriedByUnknown(family.bytes)
    }

    /// Whether another client of the family is signed in to the account, so that the token must stay.
    ///
    /// A client counts if its app metadata says that it belongs to the family, or if it obtained the token. It is
    /// signed in according to its sign-in state, or because it has a token of its own, unless its state says that it is
    /// signed out.
    package func isSharedByOthers(_ token: CredentialFields) -> Bool {
        guard let family = token.sharingFamily else { return false }
        var others = Set(group.entries.lazy.filter { $0.fields.kind == .appMetadata }.map(\.fields.clientID))
        others.insert(token.clientID)
        others.remove(client)
        return others.contains { other in
            let isMember = isMember(other, of: family, token) ?? (other == token.clientID)
            return isMember && isSignedIn(other, token: token)
        }
    }

    /// Whether a client belongs to the family of a token, in the token's cloud; nil if it is unknown.
    private func isMember(_ client: UTF8Text, of family: UTF8Text, _ token: CredentialFields) -> Bool? {
        group.appMetadata(of: client, in: token.environment, clouds).map { metadata in
            ClientFamily.isMember(of: family.bytes, own: (metadata.fields.familyID ?? "").bytes)
        }
    }

    private func isSignedIn(_ other: UTF8Text, token: CredentialFields) -> Bool {
        for (_, state) in entries.states where UTF8Text(state.clientID) == other {
            if state.value == .signedOut { return false }
            if state.value == .signedIn { return true }
        }
        return entries.entries.contains {
            $0.fields.clientID == other && $0.fields.kind.isCredential && !$0.record.lacksToken
        }
    }
}
