// SPDX-License-Identifier: Apache-2.0

/// How to sign out.
public struct SignOutRequest: Hashable, Sendable {
    /// Whether the server is asked to revoke this application's refresh tokens of the account (RFC 7009). Tokens of a
    /// family are not revoked, since other applications use them.
    public var revokesTokens = false

    /// Whether the tokens of all applications of the group are removed, and the account too.
    public var wipesAccount = false

    /// The longest time for revocation.
    public var timeout = Duration.seconds(30)

    /// Creates a request that signs this application out, without a request to the server.
    public init() {}
}

/// What a sign-out did beyond the cache, in which the account is signed out in any case.
public struct SignOutReport: Hashable, Sendable {
    /// What became of a step. Later versions may know more.
    @nonexhaustive
    public enum Outcome: Hashable, Sendable {
        /// It was not asked for.
        case notAsked
        /// It was done, or there was nothing to do.
        case done
        /// The server's metadata names no endpoint for it.
        case notSupported
        /// It failed.
        case failed(AcquisitionError)
    }

    /// The revocation of refresh tokens.
    public let revocation: Outcome
}
