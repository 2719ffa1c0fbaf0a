/// What makes two entries of one section the same thing for an import, whatever their keys: several SDKs write one
/// credential under several keys.
///
/// An import takes nothing for the same that a save would not replace, and less: tokens of one family that two clients
/// got stay side by side, scopes are all the same or other ones, and so are realms, by their names. In doubt it changes
/// nothing.
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

    /// - Returns: nil for what has no meaning here, and so is never the same as anything else.
    package init?(_ facts: EntryFacts, _ fields: CredentialFields, clouds: CloudTable) {
        guard fields.kind != .opaque else { return nil }
        section = facts.section
        // Some SDKs call a token that is bound to a key an access token like any other.
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
        // What a refresh token says about scopes changes from one to its successor.
        let names = fields.kind.isAccessToken ? fields.target?.scopes ?? [] : []
        scopes = Set(names.map { $0.normalized() })
    }
}
