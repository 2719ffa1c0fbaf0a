// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import TokenCaching

/// A silent request with the query of a client's cache.
final class PreparedSilentRequest: Sendable {
    /// The background renewals of the client that it was prepared for: they tell clients apart, and do not hold them.
    let renewals: BackgroundRenewals
    /// The query of the cache.
    let query: TokenQuery
    let request: SilentRequest
    let authority: Authority
    let context: AuthenticationResult.Context
    private let options: TokenQueryOptions

    /// Whether the query is for the type and the key that a scheme has now: it may change its key.
    func hasKey(of scheme: (any AuthenticationScheme)?) -> Bool {
        guard let scheme else { return true }
        return scheme.tokenType == options.tokenType && scheme.keyID == options.keyID
    }

    /// - Throws: `requestRejected` for a request without scopes, or with parameters that cannot isolate tokens.
    init(_ request: SilentRequest, of client: PublicClient) throws(AcquisitionError) {
        renewals = client.background
        guard request.scopes.contains(where: { !$0.isEmpty }) else {
            throw AcquisitionError(.requestRejected, detail: "it names no scope")
        }
        // Otherwise the request would hold itself.
        self.request = request.unprepared
        authority = request.authority ?? client.configuration.authority
        var options = TokenQueryOptions()
        options.forceRefresh = request.forceRefresh
        options.claimsChallenge = request.claims?.json
        options.expirationMargin = client.configuration.expirationMargin
        options.extendedCacheKey = try request.isolation()
        options.tokenType = request.authenticationScheme?.tokenType
        options.keyID = request.authenticationScheme?.keyID
        self.options = options
        query = Self.query(request, authority, options)
        context = AuthenticationResult.Context(
            cache: client.cache,
            authority: authority,
            scheme: request.authenticationScheme
        )
    }

    /// The query with other options.
    func query(_ change: (inout TokenQueryOptions) -> Void) -> TokenQuery {
        var options = options
        change(&options)
        return Self.query(request, authority, options)
    }

    private static func query(
        _ request: SilentRequest,
        _ authority: Authority,
        _ options: TokenQueryOptions
    ) -> TokenQuery {
        TokenQuery(
            account: request.account,
            scopes: request.scopes,
            tenant: authority.tenant ?? "",
            environment: authority.environment,
            options: options
        )
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
