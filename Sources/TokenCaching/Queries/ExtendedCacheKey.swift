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

    /// Creates a key from a known hash.
    ///
    /// - Parameter hash: as MSAL Python and Go write it into `ext_cache_key`. Compared without regard to case, as they
    ///   do.
    public init(hash: String) {
        self.hash = UTF8Text(hash).normalized().string
    }
}
