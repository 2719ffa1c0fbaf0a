// SPDX-License-Identifier: Apache-2.0

/// A request that migrates a sign-in from another library, using the refresh token that it stored.
public struct MigrationRequest: Sendable {
    /// The scopes that the token must have.
    public var scopes: [String]
    /// The authority that issued the refresh token; nil for the authority of the configuration.
    public var authority: Authority?
    /// The correlation id of the request; nil for a new one.
    public var correlationID: CorrelationID?
    /// The timeout of the whole call; one minute by default.
    public var timeout = Duration.seconds(60)

    /// Creates a request.
    ///
    /// - Parameter scopes: the scopes that the token must have.
    public init(scopes: [String]) {
        self.scopes = scopes
    }
}
