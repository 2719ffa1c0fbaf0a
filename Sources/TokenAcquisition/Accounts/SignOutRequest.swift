// SPDX-License-Identifier: Apache-2.0

/// How to sign out.
public struct SignOutRequest: Hashable, Sendable {
    /// Whether the server is asked to revoke this application's refresh tokens of the account (RFC 7009). Tokens of a
    /// family are not revoked, since other applications use them.
    public var revokesTokens = false

    /// Whether the user's session in the browser is ended, too (OpenID Connect RP-Initiated Logout 1.0): the server's page
    /// opens there, and may ask the user to confirm. The redirect URI has to be registered for this as well.
    ///
    /// The user's name, and for servers other than Entra's the id token, are in the URL that the browser gets from the
    /// ``RedirectListener``: in no list of processes, but in the browser's history.
    public var endsBrowserSession = false

    /// The authority that the account signed in at, if it is not the configuration's: refresh tokens of others are not revoked.
    public var authority: Authority?

    /// Whether the tokens of all applications of the group are removed, and the account too.
    public var wipesAccount = false

    /// The longest time for revocation, and then for the user to come back from the browser.
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
        /// It was done.
        case done
        /// There was nothing to do: the cache has no refresh token of the authority that only this application uses.
        case nothingToDo
        /// The server's metadata names no endpoint for it.
        case notSupported
        /// It failed.
        case failed(AcquisitionError)
    }

    /// The revocation of refresh tokens.
    public let revocation: Outcome

    /// The end of the session in the browser. After ``AcquisitionError/Code/timeout`` it may have been ended: a server
    /// that does not know the redirect URI keeps the user on a page of its own.
    public let browserSession: Outcome
}
