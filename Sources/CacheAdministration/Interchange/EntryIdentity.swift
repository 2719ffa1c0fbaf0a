internal import TokenCaching
internal import UnifiedSchema

/// What makes two entries of one section the same thing, whatever their keys: several SDKs write one credential under
/// several keys.
struct EntryIdentity: Hashable {
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
    init?(_ facts: EntryFacts, _ fields: CredentialFields, clouds: CloudTable) {
        guard fields.kind != .opaque else { return nil }
        section = facts.section
        // Some SDKs call a token that is bound to a key an access token like any other.
        kind = fields.kind.isAccessToken ? .accessToken : fields.kind
        homeAccountID = fields.homeAccountID
        username = fields.homeAccountID == nil ? fields.username : nil
        environment = fields.kind == .accountMetadata ? "" : clouds.preferredCacheHost(for: fields.environment)
        // Microsoft's refresh tokens have no realm, whatever an SDK wrote down; those of other issuers do.
        let hasNoRealm =
            fields.kind == .appMetadata || fields.kind.isRefreshToken && clouds.isMicrosoft(fields.environment)
        realm = hasNoRealm ? nil : fields.realm
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
