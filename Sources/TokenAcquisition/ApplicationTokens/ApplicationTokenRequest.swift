// SPDX-License-Identifier: Apache-2.0

/// A request for a token of the application itself, without a user: with the client's credentials (RFC 6749, section 4.4).
public struct ApplicationTokenRequest: Sendable {
    /// The scopes that the token must have; at Microsoft's servers one that ends in `/.default`.
    public var scopes: [String]
    /// The authority; nil for the authority of the configuration. At Microsoft's servers it names one tenant.
    public var authority: Authority?
    /// The claims that an API requested in a challenge. A stored token is then ignored, because the API rejected it.
    public var claims: ClaimsRequest?
    /// Whether to ignore a valid token and get a new one, and to ask although the server refused a moment ago.
    public var forceRefresh = false
    /// Additional parameters of the token request. They cannot replace parameters of the protocol, and do not distinguish
    /// tokens in the cache.
    public var extraParameters: [String: String] = [:]
    /// Additional parameters that isolate the token in the cache: a token that was requested with others, or without any, is
    /// never returned. They have the rules of `ExtendedCacheKey.init(requestParameters:)`.
    public var isolatedParameters: [String: String] = [:]
    /// The correlation id of the request; nil for a new one each time.
    public var correlationID: CorrelationID?
    /// The maximum time to wait for another process that asks for the same token, and for the network; one minute by
    /// default.
    public var timeout = Duration.seconds(60)

    /// Creates a request.
    ///
    /// - Parameter scopes: the scopes that the token must have.
    public init(scopes: [String]) {
        self.scopes = scopes
    }
}

extension ApplicationTokenRequest: CustomStringConvertible, CustomReflectable {
    /// The number of scopes.
    public var description: String { "ApplicationTokenRequest(\(scopes.count) scopes)" }

    /// No children, because parameters may be secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
