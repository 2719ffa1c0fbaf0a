// SPDX-License-Identifier: Apache-2.0

package import GroupRecords
internal import UnifiedSchema

/// The request that a token response belongs to: information that the response itself does not contain.
///
/// ```swift
/// let request = TokenRequest(
///     environment: "login.microsoftonline.com", tenant: "common", scopes: ["User.Read"], grant: .interactive)
/// ```
public struct TokenRequest: Hashable, Sendable {
    /// How the tokens were obtained. Later versions may distinguish more grants.
    @nonexhaustive
    public enum Grant: Hashable, Sendable {
        /// The user signed in: authorization code, device code, password. Also for an on-behalf-of request. Brings back
        /// an account that was signed out.
        case interactive
        /// A refresh token was redeemed. Never brings back an account that was signed out or removed in the meantime:
        /// see ``TokenRequest/init(renewing:scopes:tenant:keyID:)``.
        case renewal
        /// The application used its own credentials. There is no account.
        case application
    }

    /// The host of the authority that responded, such as `login.microsoftonline.com`.
    public var environment: String

    /// The requested tenant, as an id, domain, path of the issuer, or `common`, `organizations`, `consumers`.
    public var tenant: String

    /// The requested scopes. They count as granted if the response names none.
    public var scopes: [String]

    /// How the tokens were obtained.
    public var grant: Grant

    /// The account that the tokens are for, if it is known; for a renewal it always is. If the server answers a renewal
    /// with another account, nothing is stored.
    public var accountID: Account.ID?

    /// The id of the key that the access token is bound to, if it is.
    public var keyID: String?

    /// The claims that isolate the access token, as JSON text, byte for byte; nil for a plain token.
    ///
    /// A token requested with a claims challenge is a plain one: it replaces the rejected token. Set this in
    /// applications that keep tokens with different claims side by side.
    public var isolatedClaims: String?

    /// The application on the device that the access token is isolated for; nil for a plain token.
    public var applicationIdentifier: String?

    /// The extra parts of the request that isolate the access token; nil for a plain token.
    public var extendedCacheKey: ExtendedCacheKey?

    /// For a service that acts on behalf of the user: the assertion for which the tokens were obtained.
    public var userAssertion: UserAssertionHash?

    /// Whether what isolates the access token isolates the refresh token too: for servers that bind a refresh token to what
    /// it was requested for (RFC 8707, section 2.2).
    package var isolatesRefreshToken = false

    /// What the user was asked about, if this caller holds the lease for that question: the callers that wait for the
    /// lease get the account.
    package var interaction: InteractionSubject?

    /// The redeemed refresh token, as it was handed out.
    private(set) var redeemed: RedeemedToken?

    /// The scopes that were granted with the redeemed refresh token. The next one has the same, whatever the response
    /// names (RFC 6749, section 6).
    private(set) var redeemedGrant: [String]?

    /// The query's request; nil if there was no query.
    private(set) var asked: AskedRequest?

    /// Creates the request of a renewal with a refresh token.
    ///
    /// It has the tenant, key and isolation of the query, and records the state of the cache when the token was handed
    /// out, so that a save can detect removals since then: use this rather than a request for a renewal built by hand.
    /// With it, a renewal stores nothing if the account was signed out in the meantime, even if the user has signed in
    /// again since.
    ///
    /// ```swift
    /// case .renew(let refreshToken, _):
    ///     let body = try refreshToken.withSecret { secret in redeem(secret) }
    ///     try cache.save(try TokenResponse(json: body), for: TokenRequest(renewing: refreshToken, scopes: scopes))
    /// ```
    ///
    /// - Parameters:
    ///   - refreshToken: the redeemed token, as the cache handed it out.
    ///   - scopes: the requested scopes.
    ///   - tenant: the requested tenant; nil for ``RefreshToken/requestTenant``.
    ///   - keyID: the id of the key that the access token is bound to; nil for that of the query.
    public init(renewing refreshToken: RefreshToken, scopes: [String], tenant: String? = nil, keyID: String? = nil) {
        self.init(
            environment: refreshToken.environment,
            tenant: tenant ?? refreshToken.requestTenant,
            scopes: scopes,
            grant: .renewal,
            accountID: refreshToken.accountID,
            keyID: keyID ?? refreshToken.queried(refreshToken.answer.terms.keyID)
        )
        redeemed = RedeemedToken(refreshToken)
        redeemedGrant = refreshToken.grantedScopes
        asked = refreshToken.asked
        isolate(as: refreshToken.answer.terms)
    }

    /// Creates the request for an app-only token of a query.
    init(acquiring terms: PreparedQuery, scopes: [String], asked: AskedRequest) {
        self.init(
            environment: terms.text(terms.environment) ?? "",
            tenant: terms.requestedTenant ?? "",
            scopes: scopes,
            grant: .application,
            keyID: terms.text(terms.keyID)
        )
        self.asked = asked
        isolate(as: terms)
    }

    private mutating func isolate(as terms: PreparedQuery) {
        if let isolation = terms.isolation { self.isolation = isolation.asked.map { terms.text($0) } }
    }

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - environment: the host of the authority that responded.
    ///   - tenant: the requested tenant.
    ///   - scopes: the requested scopes.
    ///   - grant: how the tokens were obtained.
    ///   - accountID: the account that the tokens are for, if it is known.
    ///   - keyID: the id of the key that the access token is bound to.
    public init(
        environment: String,
        tenant: String,
        scopes: [String],
        grant: Grant,
        accountID: Account.ID? = nil,
        keyID: String? = nil
    ) {
        self.environment = environment
        self.tenant = tenant
        self.scopes = scopes
        self.grant = grant
        self.accountID = accountID
        self.keyID = keyID
    }
}

extension RefreshToken {
    /// A text of the query that the token answers; nil if it is empty.
    fileprivate func queried(_ text: TextRange?) -> String? { answer.terms.text(text) }
}

extension TokenRequest: CustomStringConvertible, CustomReflectable {
    /// How the tokens were obtained; no identity.
    public var description: String { "TokenRequest(\(grant), \(scopes.count) scopes)" }

    /// No children, so that identities do not appear in logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
