internal import RecordStorage
internal import UnifiedSchema

/// Who else is signed in to an account through a family's refresh token.
struct FamilySession {
    private let entries: PartitionEntries
    private let members: [AppMetadata]
    private let clouds: CloudTable
    /// The client that leaves, folded.
    private let client: UTF8Text

    /// What the group's app metadata says of one client in one cloud.
    private struct AppMetadata {
        let clientID: UTF8Text
        let cloud: UTF8Text
        let familyID: UTF8Text?
        let sequence: UInt64
    }

    /// - Parameters:
    ///   - entries: of the account.
    ///   - group: the entries of the group's partition.
    ///   - client: the client that leaves, folded.
    ///   - clouds: which hosts are one cloud.
    init(_ entries: PartitionEntries, group: PartitionEntries, client: UTF8Text, clouds: CloudTable) {
        self.entries = entries
        self.client = client
        self.clouds = clouds
        members = group.entries.filter { $0.fields.kind == .appMetadata }.map { entry in
            AppMetadata(
                clientID: entry.fields.clientID,
                cloud: clouds.preferredCacheHost(for: entry.fields.environment),
                familyID: entry.fields.familyID,
                sequence: entry.record.sequence
            )
        }
    }

    /// Whether a refresh token is shared by a family.
    func isFamilyToken(_ token: CredentialFields) -> Bool {
        token.kind == .familyRefreshToken || (token.kind == .refreshToken && token.familyID != nil)
    }

    /// The family of a family token.
    func family(of token: CredentialFields) -> UTF8Text { token.familyID ?? FamilySession.assumed }

    /// Whether the client has anything to do with a family token: it got it, or is of its family.
    func concerns(_ token: CredentialFields) -> Bool {
        if token.clientID == client { return true }
        let cloud = clouds.preferredCacheHost(for: token.environment)
        return isMember(client, of: family(of: token), in: cloud) ?? (family(of: token) == FamilySession.assumed)
    }

    /// Whether another client of the family is signed in to the account, so that the token has to stay.
    ///
    /// A client counts where its app metadata says that it is of the family, or where it got the token. It is signed in
    /// by its state, or by a token of its own, unless its state says that it is signed out.
    func isSharedByOthers(_ token: CredentialFields) -> Bool {
        let family = family(of: token)
        let cloud = clouds.preferredCacheHost(for: token.environment)
        var others = Set(members.map(\.clientID))
        others.insert(token.clientID)
        others.remove(client)
        return others.contains { other in
            let isMember = isMember(other, of: family, in: cloud) ?? (other == token.clientID)
            return isMember && isSignedIn(other, token: token)
        }
    }

    /// Nil where nothing is known.
    private func isMember(_ client: UTF8Text, of family: UTF8Text, in cloud: UTF8Text) -> Bool? {
        let newest = members.filter { $0.clientID == client && $0.cloud == cloud }.max { $0.sequence < $1.sequence }
        return newest.map { $0.familyID == family }
    }

    private func isSignedIn(_ other: UTF8Text, token: CredentialFields) -> Bool {
        for (_, state) in entries.states where UTF8Text(state.clientID) == other {
            if state.value == .signedOut { return false }
            if state.value == .signedIn { return true }
        }
        return entries.entries.contains { $0.fields.clientID == other && $0.fields.kind.isCredential }
    }

    /// The family of family tokens that do not say.
    static let assumed: UTF8Text = "1"
}
