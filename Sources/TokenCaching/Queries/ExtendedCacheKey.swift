internal import UnifiedSchema

/// Extra parts of a token request that keep its access token apart from others, such as `fmi_path`.
///
/// MSAL Python, Go and .NET store such tokens with a hash or an object of these parts. A query with a key finds exactly the
/// tokens with the same one, whichever of them wrote it; a query without never gets them.
public struct ExtendedCacheKey: Hashable, Sendable {
    /// The hash that MSAL Python and Go write into `ext_cache_key`, folded.
    public let hash: String

    /// The key of these parts of a request.
    ///
    /// - Parameter components: names and values, byte for byte as they were sent. Without any, the key is that of no
    ///   token.
    public init(components: [String: String]) {
        let parts = components.map { ExtendedKey.Component(name: UTF8Text($0.key), value: UTF8Text($0.value)) }
        hash = ExtendedKey(parts).hash.normalized().string
    }

    /// The key with a hash that is known.
    ///
    /// - Parameter hash: as MSAL Python and Go write it into `ext_cache_key`. Compared without regard to case, as they
    ///   do.
    public init(hash: String) {
        self.hash = UTF8Text(hash).normalized().string
    }
}
