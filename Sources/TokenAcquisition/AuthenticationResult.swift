// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import Sealing
public import TokenCaching

/// An access token, with access to its account and id token.
///
/// The account and the id token are read from the cache when you call ``account()`` or ``idToken()``, so a result costs
/// little more than its token.
public struct AuthenticationResult: Sendable {
    /// Where a token came from. Later versions may add sources.
    @nonexhaustive
    public enum Source: String, Hashable, Sendable {
        /// The cache contained it, or a concurrent request obtained it.
        case cache
        /// This request obtained it without prompting the user.
        case renewal
        /// The user signed in with the browser.
        case interactive
        /// The user signed in with a device code.
        case deviceCode
        /// This request obtained it with another library's refresh token.
        case migration
        /// A broker supplied it.
        case broker
        /// The cache contained it. It has expired, but the server cannot be reached, and the token is within its
        /// extended lifetime.
        case cacheWhileServerUnavailable
    }

    /// The access token. Its secret remains sealed and is decrypted each time you access it.
    public let accessToken: AccessToken

    /// Where the token came from.
    public let source: Source

    /// What all results of a request share.
    let context: Context

    /// The correlation id of the request that was sent; nil if none was sent.
    public let correlationID: CorrelationID?

    /// What all results of a request share.
    final class Context: Sendable {
        let cache: TokenCache
        let authority: Authority
        let scheme: (any AuthenticationScheme)?

        init(cache: TokenCache, authority: Authority, scheme: (any AuthenticationScheme)? = nil) {
            self.cache = cache
            self.authority = authority
            self.scheme = scheme
        }
    }

    init(_ accessToken: AccessToken, from source: Source, context: Context, correlationID: CorrelationID? = nil) {
        self.accessToken = accessToken
        self.source = source
        self.context = context
        self.correlationID = correlationID
    }

    /// The scheme of a token that is bound to a key; nil for a bearer token.
    var scheme: (any AuthenticationScheme)? { context.scheme }

    /// The authority of the request.
    public var authority: Authority { context.authority }

    /// When the token expires.
    public var expiresOn: Timestamp { accessToken.expiresOn }

    /// The granted scopes, as the server spelled them.
    public var scopes: [String] { accessToken.scopes }

    /// Whether the token has expired and is returned only because the server cannot be reached.
    public var isExtended: Bool { accessToken.isExtended }

    /// Passes the value of the header `Authorization` to `body` as UTF-8. The bytes are wiped when `body` returns.
    ///
    /// For a token of an ``AuthenticationScheme`` use ``authorizationHeader(for:)``: APIs accept it only with a proof.
    ///
    /// - Parameter body: receives the value. The bytes must not escape.
    /// - Returns: the result of `body`.
    /// - Throws: the errors of `body`; ``AcquisitionError/Code/cacheFailed`` if the token cannot be decrypted;
    ///   ``AcquisitionError/Code/requestRejected`` if it is bound to a key.
    public func withAuthorizationHeader<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws -> Result {
        try requireBearer()
        let scheme = Array((tokenScheme + " ").utf8)
        var isOpen = false
        do {
            return try accessToken.withSecret { (secret) throws -> Result in
                let value = try SecretBytes(byteCount: scheme.count + secret.byteCount) { output throws(SealingError) in
                    output.append(scheme.rawSpan)
                    output.append(secret)
                }
                isOpen = true
                return try body(value.bytes)
            }
        } catch {
            if isOpen { throw error }
            if let error = error as? TokenCacheError { throw AcquisitionError(error) }
            throw AcquisitionError(TokenCacheError(.outOfMemory, underlying: error))
        }
    }

    /// The value of the header `Authorization`. Copies of a string stay in memory until they happen to be overwritten;
    /// to avoid that, use ``withAuthorizationHeader(_:)``.
    ///
    /// For a token of an ``AuthenticationScheme`` use ``authorizationHeader(for:)``: APIs accept it only with a proof.
    ///
    /// - Throws: ``AcquisitionError/Code/cacheFailed`` if the token cannot be decrypted;
    ///   ``AcquisitionError/Code/requestRejected`` if it is bound to a key.
    public var authorizationHeader: String {
        get throws(AcquisitionError) {
            try requireBearer()
            let secret = try usingCache(try accessToken.secretString)
            return "\(tokenScheme) \(secret)"
        }
    }

    /// A token that is bound to a key is useless without its proof.
    private func requireBearer() throws(AcquisitionError) {
        guard scheme == nil else {
            throw AcquisitionError(
                .requestRejected,
                detail: "the token is bound to a key, so that its header needs a proof: use authorizationHeader(for:)"
            )
        }
    }

    /// The scheme of the header: the type of the token.
    private var tokenScheme: String {
        let type = accessToken.tokenType
        return type == "bearer" ? "Bearer" : type
    }
}

extension AuthenticationResult: CustomStringConvertible, CustomReflectable {
    /// The source of the token and its expiry, without token or account.
    public var description: String { "AuthenticationResult(\(source), expires on \(expiresOn))" }

    /// No children, so that neither the token nor its owner appears in logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
