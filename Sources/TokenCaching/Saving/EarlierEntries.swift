// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
internal import RecordStorage
internal import Sealing
internal import UnifiedSchema

/// The entries that a client stored of an account under its subject alone, before issuers were a part of ids. When the user
/// signs in again at the issuer that their id token names, the client no longer needs them.
struct EarlierEntries {
    private let subject: UTF8Text
    private let issuer: UTF8Text
    private let environment: UTF8Text
    private let realm: UTF8Text
    private let codec: RecordCodec
    /// The client, folded.
    private let client: UTF8Text

    /// Nil if the account's id names no issuer.
    init?(_ entries: ResponseEntries, codec: RecordCodec, client: String) {
        guard let account = entries.homeAccountID, let issuer = HomeAccountID.issuer(of: account) else { return nil }
        self.issuer = issuer
        subject = HomeAccountID.subject(of: account)
        environment = entries.environment.normalized()
        realm = entries.realm.normalized()
        self.codec = codec
        self.client = UTF8Text(client)
    }

    /// Removes the client's tokens of the tenant, and the account entry if no other client has tokens there. Does nothing
    /// unless the client has an id token there, and all of them name this issuer.
    func remove(from transaction: inout Transaction) throws(StorageError) {
        let partition = try codec.partition(
            ofAccount: HomeAccountID.plain(subject).normalized().bytes
        )
        let stored: PartitionEntries
        do throws(StorageError) {
            stored = try transaction.entries(of: partition)
        } catch {
            // What cannot be read does not keep a user from signing in.
            guard error.code == .damaged else { throw error }
            return
        }
        var ofHost: [StoredEntry] = []
        for entry in stored.entries where entry.fields.environment == environment {
            if try entry.facts().text(.homeAccountID)?.trimmed() == subject { ofHost.append(entry) }
        }
        let idTokens = ofHost.filter { $0.fields.kind.isIDToken && $0.fields.clientID == client }
        guard !idTokens.isEmpty else { return }
        for idToken in idTokens {
            guard try namedIssuer(idToken, in: stored) == issuer else { return }
        }
        let ofTenant = ofHost.filter { $0.fields.realm ?? realm == realm }
        let own = ofTenant.filter { $0.fields.kind.isCredential && $0.fields.clientID == client }
        let isShared = ofTenant.contains { $0.fields.kind.isCredential && $0.fields.clientID != client }
        for entry in own + (isShared ? [] : ofTenant.filter { $0.fields.kind == .account }) {
            try transaction.remove(entry.record.tag, in: partition, erasingSecret: false)
        }
        // With other tokens the client is still signed in; a sign-out stays one.
        let isLeft = stored.entries.contains { entry in
            entry.fields.clientID == client && !own.contains { $0 === entry }
        }
        for (record, state) in stored.states
        where UTF8Text(state.clientID) == client && state.value == .signedIn && !isLeft {
            try transaction.remove(record.tag, in: partition, erasingSecret: false)
        }
    }

    private func namedIssuer(_ idToken: StoredEntry, in stored: PartitionEntries) throws(StorageError) -> UTF8Text? {
        guard let token = try codec.token(of: idToken.record, stored.reader) else { return nil }
        return try IDTokenPayload.decode(token.bytes)?.issuer.flatMap(HomeAccountID.named)
    }
}
