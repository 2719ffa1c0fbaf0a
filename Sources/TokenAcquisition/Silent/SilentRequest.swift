// SPDX-License-Identifier: Apache-2.0

public import TokenCaching

/// A request for a token without the user: from the cache, otherwise with a refresh token.
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
    /// The authority; nil for the configuration's. `common` and `organizations` mean the account's home tenant.
    public var authority: Authority?
    /// The claims that an API asked for in a challenge. Stored tokens are then ignored, because the API rejected one.
    public var claims: ClaimsRequest?
    /// How the token is bound to a key of the application; nil for a bearer token.
    public var authenticationScheme: (any AuthenticationScheme)?
    /// Whether a valid token is ignored, so that a new one is obtained.
    public var forceRefresh = false
    /// Fields that the token request has in addition. They replace none of the protocol's, and do not distinguish tokens
    /// in the cache.
    public var extraParameters: [String: String] = [:]
    /// The id of the request; nil for a fresh one each time.
    public var correlationID: CorrelationID?
    /// The longest time to wait for other processes that renew the same token, and for the network; one minute by default.
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
    /// The number of scopes; no identity.
    public var description: String { "SilentRequest(\(scopes.count) scopes)" }

    /// No children, so that identities do not appear in logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A silent request that is kept and repeated. With a valid token in the cache, each call costs little more than
/// `TokenCache.token(for:)`.
///
/// Made by ``PublicClient/prepare(_:)``, and used with that client.
public final class PreparedSilentRequest: Sendable {
    /// The cache's query.
    public let query: TokenQuery
    let request: SilentRequest
    let authority: Authority
    let context: AuthenticationResult.Context
    /// The same query, for when the server cannot be reached; nil if the application does not want an expired token.
    let queryDuringOutage: TokenQuery?

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
        if configuration.allowsExtendedLifetime, !request.forceRefresh, request.claims == nil {
            options.allowsExtendedLifetime = true
            queryDuringOutage = query(options)
        } else {
            queryDuringOutage = nil
        }
    }
}

extension PreparedSilentRequest: CustomStringConvertible, CustomReflectable {
    /// The number of scopes; no identity.
    public var description: String { "PreparedSilentRequest(\(request.scopes.count) scopes)" }

    /// No children, so that identities do not appear in logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
