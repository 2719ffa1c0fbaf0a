// SPDX-License-Identifier: Apache-2.0

public import TokenCaching

/// A request for a token without interaction: from the cache, or else with a refresh token.
///
/// ```swift
/// let request = SilentRequest(scopes: ["User.Read"], account: account)
/// let result = try await client.acquireTokenSilent(request)
/// ```
///
/// Keep a request that you repeat: its first use prepares the query of the cache, and a valid token then costs little more
/// than `TokenCache.token(for:)`. Copies share that until one of them is changed. A kept request keeps the client's cache in
/// memory, and open unless it is closed.
public struct SilentRequest: Sendable {
    /// The scopes that the token must have.
    public var scopes: [String] { didSet { forgetPreparation() } }
    /// The account.
    public var account: Account { didSet { forgetPreparation() } }
    /// The authority; nil for the authority of the configuration. `common` and `organizations` mean the account's home
    /// tenant.
    public var authority: Authority? { didSet { forgetPreparation() } }
    /// The claims that an API requested in a challenge. Stored tokens are then ignored, because the API rejected one.
    public var claims: ClaimsRequest? { didSet { forgetPreparation() } }
    /// The scheme that binds the token to a key of the application; nil for a bearer token.
    public var authenticationScheme: (any AuthenticationScheme)? { didSet { forgetPreparation() } }
    /// Whether to ignore a valid token and get a new one. If that fails, the error has the valid token: see
    /// ``AcquisitionError/result``.
    public var forceRefresh = false { didSet { forgetPreparation() } }
    /// Additional parameters of the token request. They cannot replace parameters of the protocol, and do not
    /// distinguish tokens in the cache.
    public var extraParameters: [String: String] = [:] { didSet { forgetPreparation() } }
    /// Additional parameters that isolate the token in the cache: a token that was requested with others, or without any, is
    /// never returned. They have the rules of `ExtendedCacheKey.init(requestParameters:)`.
    public var isolatedParameters: [String: String] = [:] { didSet { forgetPreparation() } }
    /// The correlation id of the request; nil for a new one each time.
    public var correlationID: CorrelationID? { didSet { forgetPreparation() } }
    /// The maximum time to wait for other processes that renew the same token, and for the network; one minute by
    /// default.
    public var timeout = Duration.seconds(60) { didSet { forgetPreparation() } }

    /// What the client that used the request last made of it.
    private(set) var preparation = SilentPreparation()

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - scopes: the scopes that the token must have.
    ///   - account: an account of the cache.
    public init(scopes: [String], account: Account) {
        self.scopes = scopes
        self.account = account
    }

    /// The same request, without what a client made of it.
    var unprepared: SilentRequest {
        var copy = self
        copy.preparation = .unused
        return copy
    }

    private mutating func forgetPreparation() {
        // Nobody has used a request that was just created and is filled in.
        if !isKnownUniquelyReferenced(&preparation) || preparation.isUsed { preparation = SilentPreparation() }
    }
}

extension SilentRequest: CustomStringConvertible, CustomReflectable {
    /// The number of scopes, without identities.
    public var description: String { "SilentRequest(\(scopes.count) scopes)" }

    /// No children, so that identities do not appear in logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
