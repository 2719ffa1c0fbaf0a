// SPDX-License-Identifier: Apache-2.0

internal import TokenCaching

/// A way to use access tokens that are bound to a key of the application: proof of possession instead of a bearer token.
///
/// This library has no scheme of its own, because it has no place for a private key that other programs of the user could
/// not read. It asks the server for tokens bound to the key, keeps them apart from bearer tokens and from those of other
/// keys, and leaves the proof to the scheme.
///
/// ```swift
/// import TokenAcquisition
///
/// /// Signed HTTP requests as Microsoft's APIs take them. `sign` signs claims with the key and returns a JWT.
/// struct SignedRequests: AuthenticationScheme {
///     let keyID: String
///     let confirmation: String
///     let sign: @Sendable (_ accessToken: String, ResourceRequest) throws -> String
///
///     var tokenType: String { "pop" }
///     var tokenRequestParameters: [String: String] { ["token_type": "pop", "req_cnf": confirmation] }
///
///     func authorizationHeader(accessToken: String, for request: ResourceRequest) throws -> String {
///         "PoP " + (try sign(accessToken, request))
///     }
/// }
/// ```
public protocol AuthenticationScheme: Sendable {
    /// The `token_type` of the server's response: `pop`. Compared without regard to case.
    var tokenType: String { get }

    /// The id of the key that tokens are bound to. Tokens of another key are not found.
    var keyID: String { get }

    /// The fields of a token request that bind the token, such as `token_type` and `req_cnf`. They replace none of the
    /// protocol's.
    var tokenRequestParameters: [String: String] { get }

    /// The value of the header `Authorization` of one request to an API, with the proof for that request.
    ///
    /// - Parameters:
    ///   - accessToken: the secret.
    ///   - request: what is requested.
    /// - Returns: the value.
    /// - Throws: whatever keeps it from proving.
    func authorizationHeader(accessToken: String, for request: ResourceRequest) throws -> String
}

/// A request to an API, as far as a proof of possession covers it.
public struct ResourceRequest: Hashable, Sendable {
    /// The method, in capital letters.
    public var method: String
    /// The URL.
    public var url: String
    /// The nonce that the API asked for in its challenge; nil if it asked for none.
    public var nonce: String?

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - method: the method, in capital letters.
    ///   - url: the URL.
    ///   - nonce: the nonce that the API asked for in its challenge.
    public init(method: String, url: String, nonce: String? = nil) {
        self.method = method
        self.url = url
        self.nonce = nonce
    }
}

extension AuthenticationResult {
    /// The value of the header `Authorization` for one request to an API: by the scheme of the request for the token,
    /// otherwise ``authorizationHeader``.
    ///
    /// - Parameter request: what is requested.
    /// - Returns: the value, for this request only.
    /// - Throws: ``AcquisitionError/Code/cacheFailed`` if the token cannot be decrypted, and the errors of the scheme.
    public func authorizationHeader(for request: ResourceRequest) throws -> String {
        guard let scheme else { return try authorizationHeader }
        let secret = try readingCache { () throws(TokenCacheError) in try accessToken.secretString }
        return try scheme.authorizationHeader(accessToken: secret, for: request)
    }
}
