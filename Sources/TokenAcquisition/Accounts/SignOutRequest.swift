// SPDX-License-Identifier: Apache-2.0

public import TokenCaching

/// How to sign out.
public struct SignOutRequest: Hashable, Sendable {
    /// Whether to ask the server to revoke this application's refresh tokens of the account (RFC 7009). Waits for a
    /// renewal in progress, whose next refresh token it revokes; if that takes too long, the caller that renews does.
    /// Family refresh tokens are not revoked, because other applications use them. Pending revocations of the account are
    /// repeated. A refresh token that another sign-in replaced is not in the cache any more, and stays valid at the server
    /// until it expires.
    ///
    /// Only with this, refresh tokens that could not be revoked are kept: see `PendingRevocation`.
    public var revokesTokens = false

    /// Whether to end the user's session in the browser too (OpenID Connect RP-Initiated Logout 1.0). The server's page
    /// opens in the browser, and may ask the user to confirm. The redirect URI has to be registered for this as well.
    ///
    /// The user's name, and for servers other than Entra's the id token, are in the URL that the browser gets from the
    /// ``RedirectListener``: they appear in no list of processes, but in the browser's history.
    public var endsBrowserSession = false

    /// The authority at which the account signed in, if it is not the configuration's. Refresh tokens of other
    /// authorities are not revoked.
    public var authority: Authority?

    /// Whether to remove the tokens of all applications of the group, and the account itself.
    public var wipesAccount = false

    /// The correlation id of the requests; nil for a new one.
    public var correlationID: CorrelationID?

    /// The maximum time for revocation, including the wait for a renewal in progress, and then again for the user to
    /// return from the browser.
    public var timeout = Duration.seconds(30)

    /// Creates a request that signs this application out, without a request to the server.
    public init() {}
}

/// What a sign-out did besides signing out in the cache, which happens in any case.
public struct SignOutReport: Hashable, Sendable {
    /// The outcome of a step. Later versions may add outcomes.
    @nonexhaustive
    public enum Outcome: Hashable, Sendable {
        /// The step was not requested.
        case notAsked
        /// The step succeeded.
        case done
        /// There was nothing to do: the cache has no refresh token of the authority that only this application uses.
        case nothingToDo
        /// The server's metadata names no endpoint for the step.
        case notSupported
        /// The step failed.
        case failed(AcquisitionError)
    }

    /// The revocation of refresh tokens.
    public let revocation: Outcome

    /// How many refresh tokens were revoked, including those of earlier sign-outs.
    public let revokedCount: Int

    /// How many refresh tokens were not revoked, as far as is known.
    public let unrevokedCount: Int

    /// The end of the session in the browser. After ``AcquisitionError/Code/timeout`` the session may have ended
    /// nevertheless: a server that does not know the redirect URI keeps the user on a page of its own.
    public let browserSession: Outcome

    /// The account's refresh tokens that are not revoked and were kept, to repeat that. A refresh token whose revocation
    /// the server refused for good is not kept.
    public let pendingRevocations: [PendingRevocation]

    /// How many pending revocations, the oldest, were removed because there are too many. Those tokens stay valid at
    /// their server.
    public let discardedRevocationCount: Int

    /// Creates a report, for tests of code that shows it.
    ///
    /// - Parameters:
    ///   - revocation: the revocation of refresh tokens.
    ///   - revokedCount: how many were revoked.
    ///   - unrevokedCount: how many were not.
    ///   - browserSession: the end of the session in the browser.
    ///   - pendingRevocations: the account's refresh tokens that were kept.
    ///   - discardedRevocationCount: how many older ones were removed.
    public init(
        revocation: Outcome = .notAsked,
        revokedCount: Int = 0,
        unrevokedCount: Int = 0,
        browserSession: Outcome = .notAsked,
        pendingRevocations: [PendingRevocation] = [],
        discardedRevocationCount: Int = 0
    ) {
        self.revocation = revocation
        self.revokedCount = revokedCount
        self.unrevokedCount = unrevokedCount
        self.browserSession = browserSession
        self.pendingRevocations = pendingRevocations
        self.discardedRevocationCount = discardedRevocationCount
    }
}
