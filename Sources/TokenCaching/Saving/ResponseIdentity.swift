internal import UnifiedSchema

/// Whose tokens a response holds, and where they belong.
struct ResponseIdentity: Sendable {
    /// Nil for tokens of the application itself.
    let homeAccountID: UTF8Text?
    /// The host that entries are written under.
    let environment: UTF8Text
    /// Whether the environment is one of a known cloud, whose refresh tokens are good for any tenant.
    let isKnownCloud: Bool
    let realm: UTF8Text
    let clientInfo: ClientInfo?
    let claims: IDTokenClaims?

    /// - Throws: `invalidRequest` for a request that cannot be meant, `invalidResponse` where the response does not tell
    ///   whose it is or is of another account than the one that was renewed.
    init(
        _ response: borrowing TokenResponse,
        for request: TokenRequest,
        clouds: CloudTable
    ) throws(TokenCacheError) {
        let host = UTF8Text(request.environment)
        guard !host.isBlank else { throw TokenCacheError(.invalidRequest, detail: "no environment is named") }
        environment = clouds.preferredCacheHost(for: host)
        isKnownCloud = clouds.cloud(of: host) != nil
        clientInfo = try response.clientInfo()
        claims = try response.idTokenClaims()
        homeAccountID = try ResponseIdentity.account(response, request, clientInfo, claims)
        guard
            let realm = ResponseIdentity.realm(request, homeAccountID, claims, isKnownCloud: isKnownCloud)
        else { throw TokenCacheError(.invalidRequest, detail: "no tenant is named") }
        self.realm = realm
    }

    /// The home account id: what the server says, else the account that was asked for, else the subject.
    private static func account(
        _ response: borrowing TokenResponse,
        _ request: TokenRequest,
        _ clientInfo: ClientInfo?,
        _ claims: IDTokenClaims?
    ) throws(TokenCacheError) -> UTF8Text? {
        if request.grant == .application { return nil }
        let asked = request.account.map { UTF8Text($0).trimmed() }.flatMap { $0.isEmpty ? nil : $0 }
        let told = clientInfo?.homeAccountID
        if request.grant == .renewal, let asked, let told, told.normalized() != asked.normalized() {
            throw TokenCacheError(.invalidResponse, detail: "it is of another account than the one that was renewed")
        }
        if let account = told ?? asked ?? claims?.subject { return account.trimmed() }
        throw TokenCacheError(
            .invalidResponse,
            detail: "it does not tell whose it is; ask for the scope openid, or name the account in the request"
        )
    }

    /// The realm: the tenant that the id token names, else the one that was asked for. A word such as `common` stands
    /// for the account's home tenant. Issuers of no known cloud are told apart by their path.
    private static func realm(
        _ request: TokenRequest,
        _ homeAccountID: UTF8Text?,
        _ claims: IDTokenClaims?,
        isKnownCloud: Bool
    ) -> UTF8Text? {
        if let tenant = claims?.tenantID { return tenant.trimmed() }
        let asked = UTF8Text(request.tenant).trimmed()
        if let word = TenantWord(asked), let homeAccountID, let home = word.realm(homeAccountID: homeAccountID) {
            return home
        }
        if !asked.isEmpty { return asked }
        return isKnownCloud ? nil : claims?.issuerPath
    }

    /// What kind of account it is, as the SDKs write it.
    var authorityType: UTF8Text {
        if realm.normalized() == "adfs" { return "ADFS" }
        let host = environment.normalized().string
        let isMicrosoft = isKnownCloud || host.hasSuffix(".b2clogin.com") || host.hasSuffix(".ciamlogin.com")
        return isMicrosoft ? "MSSTS" : "Other"
    }
}
