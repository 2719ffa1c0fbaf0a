// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import TokenCaching

/// A silent request with the queries of a client's cache.
final class PreparedSilentRequest: Sendable {
    /// The background renewals of the client that it was prepared for: they tell clients apart, and do not hold them.
    let renewals: BackgroundRenewals
    /// The query of the cache.
    let query: TokenQuery
    let request: SilentRequest
    let authority: Authority
    let context: AuthenticationResult.Context
    /// The query to use while the server cannot be reached; nil if the application does not allow expired tokens.
    let queryDuringOutage: TokenQuery?
    /// The query for the token that a forced request ignores; nil if it was not forced, or an API rejected that token.
    let queryWithoutForce: TokenQuery?

    /// The scheme's type and key when the request was prepared.
    private let tokenType: String?
    private let keyID: String?

    /// Whether the queries are for the type and the key that a scheme has now: it may change its key.
    func hasKey(of scheme: (any AuthenticationScheme)?) -> Bool {
        guard let scheme else { return true }
        return scheme.tokenType == tokenType && scheme.keyID == keyID
    }

    /// - Throws: `requestRejected` for a request without scopes, or with parameters that cannot isolate tokens.
    init(_ request: SilentRequest, of client: PublicClient) throws(AcquisitionError) {
        let configuration = client.configuration
        renewals = client.background
        guard request.scopes.contains(where: { !$0.isEmpty }) else {
            throw AcquisitionError(.requestRejected, detail: "it names no scope")
        }
        let authority = request.authority ?? configuration.authority
        var options = TokenQueryOptions()
        options.forceRefresh = request.forceRefresh
        options.claimsChallenge = request.claims?.json
        options.expirationMargin = configuration.expirationMargin
        options.extendedCacheKey = try request.isolation()
        tokenType = request.authenticationScheme?.tokenType
        keyID = request.authenticationScheme?.keyID
        options.tokenType = tokenType
        options.keyID = keyID
        func query(_ options: TokenQueryOptions) -> TokenQuery {
            TokenQuery(
                account: request.account,
                scopes: request.scopes,
                tenant: authority.tenant ?? "",
                environment: authority.environment,
                options: options
            )
        }
        // Otherwise the request would hold itself.
        self.request = request.unprepared
        self.authority = authority
        self.query = query(options)
        context = AuthenticationResult.Context(
            cache: client.cache,
            authority: authority,
            scheme: request.authenticationScheme
        )
        options.forceRefresh = false
        queryWithoutForce = request.forceRefresh && request.claims == nil ? query(options) : nil
        if configuration.allowsExtendedLifetime, !request.forceRefresh, request.claims == nil {
            options.allowsExtendedLifetime = true
            queryDuringOutage = query(options)
        } else {
            queryDuringOutage = nil
        }
    }
}

/// Keeps what a client made of a request, for its next use.
final class SilentPreparation: Sendable {
    private let made = Mutex<PreparedSilentRequest?>(nil)

    /// Whether a client prepared the request.
    var isUsed: Bool { made.withLock { $0 != nil } }

    /// For requests that no client prepares.
    static let unused = SilentPreparation()

    /// What `client` makes of `request`, which is the one that this belongs to.
    func prepared(
        _ request: SilentRequest,
        for client: PublicClient
    ) throws(AcquisitionError) -> PreparedSilentRequest {
        if let known = made.withLock({ $0 }), known.renewals === client.background,
            known.hasKey(of: request.authenticationScheme)
        {
            return known
        }
        let prepared = try PreparedSilentRequest(request, of: client)
        made.withLock { $0 = prepared }
        return prepared
    }
}
