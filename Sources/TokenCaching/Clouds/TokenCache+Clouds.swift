// SPDX-License-Identifier: Apache-2.0

package import UnifiedSchema

extension TokenCache {
    /// Adds the result of instance discovery to the known clouds.
    ///
    /// From then on the hosts of one cloud are equivalent in lookups, lists, saves and imports. Prepared queries use
    /// the data from their next use. It is stored in the group for 24 hours, for all its processes; this cache uses it
    /// until it is closed.
    ///
    /// Waits for the group's file or the keyring, up to the cache's timeout: to read the stored data, and to write if
    /// that lacks some of the new data or is more than twelve hours old. If the data is new to this cache, accounts are
    /// read again at their next use.
    ///
    /// - Parameter clouds: the data of a server that you trust.
    /// - Throws: ``TokenCacheError/Code/malformedDocument`` if it would join two clouds, in which case it is rejected
    ///   as a whole; and the errors of every call that reads or writes, in which case only this cache uses it and other
    ///   processes do not.
    public func learn(_ clouds: CloudMetadata) throws(TokenCacheError) {
        try reporting(.learn, try translating(try engine.learn(clouds.clouds)))
    }
}

extension TokenCache {
    /// The issuers at which users signed in to this client with a redirect URI.
    nonisolated(nonsending) package func issuers(
        redirectURI: String
    ) async throws(TokenCacheError) -> [String] {
        try await engine.onPool { () throws(TokenCacheError) in
            try translating(try self.engine.issuers(redirectURI: redirectURI))
        }
    }

    /// Records that a user signed in to this client.
    nonisolated(nonsending) package func noteSignIn(
        at issuer: String,
        redirectURI: String
    ) async throws(TokenCacheError) {
        try await engine.onPool { () throws(TokenCacheError) in
            try translating(try self.engine.noteSignIn(at: issuer, redirectURI: redirectURI))
        }
    }

    /// The clients of all protected resources that the group knows, newest last. Check them like a server's response.
    nonisolated(nonsending) package func resources() async throws(TokenCacheError) -> [JSONValue] {
        try await engine.onPool { () throws(TokenCacheError) in try translating(try self.engine.resources()) }
    }

    /// Keeps the client of a protected resource, unless the group keeps one that is enough, and returns what is kept.
    nonisolated(nonsending) package func keep(
        resource: JSONValue,
        unless isEnough: @escaping @Sendable (JSONValue) -> Bool
    ) async throws(TokenCacheError) -> JSONValue {
        try await engine.onPool { () throws(TokenCacheError) in
            try translating(try self.engine.keep(resource: resource, unless: isEnough))
        }
    }
}
