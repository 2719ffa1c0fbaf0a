// SPDX-License-Identifier: Apache-2.0

/// The fields by which an import decides whether two entries of one section are the same, regardless of their keys: the
/// SDKs write one credential under several keys.
///
/// An import never considers two entries the same if a save would not replace one with the other, and it distinguishes
/// more: tokens of one family obtained by two clients are stored side by side, scopes are equal or different as a set,
/// and realms are compared by name. In doubt it changes nothing.
package struct EntryIdentity: Hashable, Sendable {
    private let section: DocumentSection?
    private let kind: EntryKind
    private let homeAccountID: UTF8Text?
    private let username: UTF8Text?
    private let environment: UTF8Text
    private let realm: UTF8Text?
    private let clientID: UTF8Text
    private let familyID: UTF8Text?
    private let tokenType: UTF8Text
    private let keyID: UTF8Text?
    private let isolation: Isolation<UTF8Text?>
    private let scopes: Set<UTF8Text>

    /// - Returns: nil for an opaque entry and a credential without a token, which are never the same as another entry.
    package init?(_ facts: EntryFacts, _ fields: CredentialFields, clouds: CloudTable) {
        guard fields.kind != .opaque, !facts.lacksToken else { return nil }
        section = facts.section
        // Some SDKs give a token bound to a key the kind of a plain access token.
        kind = fields.kind.isAccessToken ? .accessToken : fields.kind
        homeAccountID = fields.homeAccountID
        username = fields.homeAccountID == nil ? fields.username : nil
        environment = fields.kind == .accountMetadata ? "" : clouds.preferredCacheHost(for: fields.environment)
        realm =
            switch fields.kind {
            case .appMetadata: nil
            case let kind where kind.isRefreshToken: clouds.realm(ofRefreshToken: fields)
            default: fields.realm
            }
        clientID = fields.kind == .account ? "" : fields.clientID
        familyID = fields.kind.isRefreshToken ? fields.familyID : nil
        tokenType = fields.kind.isAccessToken ? fields.tokenType : CredentialFields.bearer
        guard fields.kind.isCredential else {
            (keyID, isolation) = (nil, .none)
            scopes = []
            return
        }
        keyID = fields.keyID
        isolation = fields.isolation.comparable
        // The scopes that a refresh token records change from one token to the next.
        let names = fields.kind.isAccessToken ? fields.target?.scopes ?? [] : []
        scopes = Set(names.map { $0.normalized() })
    }
}
