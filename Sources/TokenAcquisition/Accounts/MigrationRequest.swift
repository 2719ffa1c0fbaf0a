// SPDX-License-Identifier: Apache-2.0

/// A request that takes over a sign-in from another library, with the refresh token that it kept.
public struct MigrationRequest: Sendable {
    /// The scopes that the token must have.
    public var scopes: [String]
    /// The authority that issued the refresh token; nil for the configuration's.
    public var authority: Authority?
    /// The id of the request; nil for a fresh one.
    public var correlationID: CorrelationID?

    /// Creates a request.
    ///
    /// - Parameter scopes: the scopes that the token must have.
    public init(scopes: [String]) {
        self.scopes = scopes
    }
}
