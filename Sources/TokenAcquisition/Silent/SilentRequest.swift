// SPDX-License-Identifier: Apache-2.0

public import TokenCaching

/// A request for a token without interaction: from the cache, or else with a refresh token.
///
/// ```swift
/// let request = SilentRequest(scopes: ["User.Read"], account: account)
/// let result = try await client.acquireTokenSilent(request)
/// ```
public struct SilentRequest: Sendable {
    /// The scopes that the token must have.
    public var scopes: [String]
    /// The account.
    public var account: Account
    /// The authority; nil for the authority of the configuration. `common` and `organizations` mean the account's home
    /// tenant.
    public var authority: Authority?
    /// The claims that an API requested in a challenge. Stored tokens are then ignored, because the API rejected one.
    public var claims: ClaimsRequest?
    /// The scheme that binds the token to a key of the application; nil for a bearer token.
    public var authenticationScheme: (any AuthenticationScheme)?
    /// Whether to ignore a valid token and get a new one. If that fails, the error has the valid token: see
    /// ``AcquisitionError/result``.
    public var forceRefresh = false
    /// Additional parameters of the token request. They cannot replace parameters of the protocol, and do not
    /// distinguish tokens in the cache.
    public var extraParameters: [String: String] = [:]
    /// The correlation id of the request; nil for a new one each time.
    public var correlationID: CorrelationID?
    /// The maximum time to wait for other processes that renew the same token, and for the network; one minute by
    /// default.
    public var timeout = Duration.seconds(60)

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - scopes: the scopes that the token must have.
    ///   - account: an account of the cache.
    public init(scopes: [String], account: Account) {
        self.scopes = scopes
        self.account = account
    }
}

extension SilentRequest: CustomStringConvertible, CustomReflectable {
    /// The number of scopes, without identities.
    public var description: String { "SilentRequest(\(scopes.count) scopes)" }

    /// No children, so that identities do not appear in logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A silent request prepared for repeated use. If the cache has a valid token, each call costs little more than
/// `TokenCache.token(for:)`.
///
/// Create it with ``PublicClient/prepare(_:)``, and use it with the same client.
public final class PreparedSilentRequest: Sendable {
    /// The query of the cache.
    public let query: TokenQuery
    let request: SilentRequest
    let authority: Authority
    let context: AuthenticationResult.Context
    /// The query to use while the server cannot be reached; nil if the application does not allow expired tokens.
    let queryDuringOutage: TokenQuery?
    /// The query for the token that a forced request ignores; nil if it was not forced, or an API rejected that token.
    let queryWithoutForce: TokenQuery?

    init(_ request: SilentRequest, _ configuration: ClientConfiguration, cache: TokenCache) throws(AcquisitionError) {
        guard request.scopes.contains(where: { !$0.isEmpty }) else {
            throw AcquisitionError(.requestRejected, detail: "it names no scope")
        }
        let authority = request.authority ?? configuration.authority
        var options = TokenQueryOptions()
        options.forceRefresh = request.forceRefresh
        options.claimsChallenge = request.claims?.json
        options.expirationMargin = configuration.expirationMargin
        options.tokenType = request.authenticationScheme?.tokenType
        options.keyID = request.authenticationScheme?.keyID
        func query(_ options: TokenQueryOptions) -> TokenQuery {
            TokenQuery(
                account: request.account,
                scopes: request.scopes,
                tenant: authority.tenant ?? "",
                environment: authority.environment,
                options: options
            )
        }
        self.request = request
        self.authority = authority
        self.query = query(options)
        context = AuthenticationResult.Context(cache: cache, authority: authority, scheme: request.authenticationScheme)
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

extension PreparedSilentRequest: CustomStringConvertible, CustomReflectable {
    /// The number of scopes, without identities.
    public var description: String { "PreparedSilentRequest(\(request.scopes.count) scopes)" }

    /// No children, so that identities do not appear in logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
