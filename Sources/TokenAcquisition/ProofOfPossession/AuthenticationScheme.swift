// SPDX-License-Identifier: Apache-2.0

internal import TokenCaching

/// Uses access tokens that are bound to a key of the application: proof of possession instead of a bearer token.
///
/// This library contains no scheme, because it has no place for a private key that other programs of the user cannot
/// read. It requests tokens bound to the key, never returns them in place of bearer tokens or of tokens bound to other
/// keys, and leaves the proof to the scheme.
///
/// ```swift
/// import TokenAcquisition
///
/// /// Signed HTTP requests as Microsoft's APIs accept them. `sign` signs claims with the key and returns a JWT.
/// struct SignedRequests: AuthenticationScheme {
///     let keyID: String
///     let confirmation: String
///     let sign: @Sendable (_ accessToken: String, ResourceRequest) async throws -> String
///
///     var tokenType: String { "pop" }
///     var tokenRequestParameters: [String: String] { ["token_type": "pop", "req_cnf": confirmation] }
///
///     func authorizationHeader(accessToken: String, for request: ResourceRequest) async throws -> String {
///         "PoP " + (try await sign(accessToken, request))
///     }
/// }
/// ```
public protocol AuthenticationScheme: Sendable {
    /// The `token_type` of the server's response: `pop`. Compared ignoring case.
    var tokenType: String { get }

    /// The id of the key that tokens are bound to. Tokens bound to another key do not match.
    var keyID: String { get }

    /// The parameters of a token request that bind the token, such as `token_type` and `req_cnf`. They cannot replace
    /// parameters of the protocol.
    var tokenRequestParameters: [String: String] { get }

    /// Returns the value of the header `Authorization` for one request to an API, with the proof for that request.
    ///
    /// Asynchronous, because a key that other programs cannot read is in a TPM, a smart card or another process, for
    /// which the call has to wait.
    ///
    /// - Parameters:
    ///   - accessToken: the access token, which is secret.
    ///   - request: the request to the API.
    /// - Returns: the value.
    /// - Throws: any error that prevents the proof.
    func authorizationHeader(accessToken: String, for request: ResourceRequest) async throws -> String
}

/// The parts of a request to an API that a proof of possession covers.
public struct ResourceRequest: Hashable, Sendable {
    /// The method, in capital letters.
    public var method: String
    /// The URL.
    public var url: String
    /// The nonce that the API requested in its challenge; nil if it requested none.
    public var nonce: String?

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - method: the method, in capital letters.
    ///   - url: the URL.
    ///   - nonce: the nonce that the API requested in its challenge.
    public init(method: String, url: String, nonce: String? = nil) {
        self.method = method
        self.url = url
        self.nonce = nonce
    }
}

extension AuthenticationResult {
    /// Returns the value of the header `Authorization` for one request to an API. It comes from the scheme of the token
    /// request if that had one, otherwise from ``authorizationHeader``.
    ///
    /// Costs one proof of the scheme, and waits as long as that takes.
    ///
    /// - Parameter request: the request to the API.
    /// - Returns: the value, for this request only.
    /// - Throws: ``AcquisitionError/Code/cacheFailed`` if the token cannot be decrypted, and the errors of the scheme.
    nonisolated(nonsending) public func authorizationHeader(for request: ResourceRequest) async throws -> String {
        guard let scheme else { return try authorizationHeader }
        let secret = try await usingCache(try accessToken.secretString)
        return try await scheme.authorizationHeader(accessToken: secret, for: request)
    }
}
