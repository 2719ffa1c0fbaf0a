// SPDX-License-Identifier: Apache-2.0

internal import UnifiedSchema

/// Extra parts of a token request that isolate its access token, such as `fmi_path`.
///
/// MSAL Python, Go and .NET store such tokens with a hash or an object of these parts. A query with a key matches
/// exactly the tokens with the same key, whichever SDK wrote it; a query without a key never matches them.
public struct ExtendedCacheKey: Hashable, Sendable {
    /// The hash that MSAL Python and Go write into `ext_cache_key`, folded.
    public let hash: String

    /// Creates the key of these parts of a request.
    ///
    /// - Parameter components: names and values, byte for byte as they were sent. The key of an empty dictionary
    ///   matches no token.
    public init(components: [String: String]) {
        let parts = components.map { ExtendedKey.Component(name: UTF8Text($0.key), value: UTF8Text($0.value)) }
        hash = ExtendedKey(parts).hash.normalized().string
    }

    /// Creates the key of the tokens that are requested with these parameters beside those of the protocol.
    ///
    /// `resource` is what the token is for (RFC 8707), as is `audience`, which some servers use instead. Other names are
    /// the server's own. Two requests with the same scopes and different parameters never get each other's token. The
    /// key is nil without parameters, for plain tokens.
    ///
    /// ```swift
    /// options.extendedCacheKey = try ExtendedCacheKey(requestParameters: ["resource": "https://api.example.com/"])
    /// ```
    ///
    /// - Parameter parameters: names and values, byte for byte as they are sent.
    /// - Throws: ``TokenCacheError/Code/invalidRequest`` for a parameter of the protocol, for one without a value or with
    ///   control characters, for a name that the protocol does not allow (RFC 6749, section 8.2), and for a `resource`
    ///   that is not an absolute URI without a fragment.
    public init?(requestParameters parameters: [String: String]) throws(TokenCacheError) {
        try translating(try RequestParameters.check(parameters))
        if parameters.isEmpty { return nil }
        self.init(components: parameters)
    }

    /// Creates a key from a known hash.
    ///
    /// - Parameter hash: as MSAL Python and Go write it into `ext_cache_key`. Compared without regard to case, as they
    ///   do.
    public init(hash: String) {
        self.hash = UTF8Text(hash).normalized().string
    }
}
