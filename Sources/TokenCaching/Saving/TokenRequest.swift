internal import UnifiedSchema

/// The request that a token response answers: what the response itself does not say.
///
/// ```swift
/// let request = TokenRequest(
///     environment: "login.microsoftonline.com", tenant: "common", scopes: ["User.Read"], grant: .interactive)
/// ```
public struct TokenRequest: Hashable, Sendable {
    /// How the tokens were got. Later versions may tell more grants apart.
    @nonexhaustive
    public enum Grant: Hashable, Sendable {
        /// The user signed in: authorization code, device code, password. Brings back an account that was signed out.
        case interactive
        /// A refresh token was spent. Never brings back an account that was signed out or removed meanwhile: see
        /// ``TokenRequest/init(renewing:scopes:tenant:keyID:)``.
        case renewal
        /// The application used its own credentials. There is no account.
        case application
    }

    /// The host of the authority that answered, such as `login.microsoftonline.com`.
    public var environment: String

    /// The tenant that was asked, as id, domain, path of the issuer, or `common`, `organizations`, `consumers`.
    public var tenant: String

    /// The scopes that were asked for. They count as granted where the response does not say.
    public var scopes: [String]

    /// How the tokens were got.
    public var grant: Grant

    /// The account that the tokens are for, where it is known: of renewals always. Where a renewal is
    /// answered with another account, the tokens are stored under that one.
    public var accountID: Account.ID?

    /// The id of the key that the access token is bound to, for tokens that are.
    public var keyID: String?

    /// The claims that the access token is kept apart by, as JSON text, byte for byte; nil for a plain token.
    ///
    /// A token that was asked for with a claims challenge is a plain one: it takes the place of the one that was refused.
    /// This is for applications that keep tokens with different claims side by side.
    public var isolatedClaims: String?

    /// The application on the device that the access token is kept apart for; nil for a plain token.
    public var applicationIdentifier: String?

    /// The extra parts of the request that the access token is kept apart by; nil for a plain token.
    public var extendedCacheKey: ExtendedCacheKey?

    /// For a service that acts on behalf of the user: the assertion that the tokens were got for.
    public var userAssertion: UserAssertionHash?

    /// The refresh token that was spent, as it was handed out.
    private(set) var spent: RedeemedToken?

    /// What a query asked for; nil if no query did.
    private(set) var asked: AskedRequest?

    /// The renewal that a refresh token was spent for.
    ///
    /// It is for what the query asked for: the tenant, the key, and what the token is kept apart by. And it carries what was
    /// known when the token was handed out, so that a save can tell what was removed since then: use
    /// this rather than a renewal that is assembled by hand. With it a renewal that was overtaken by a sign-out stores
    /// nothing, even if the user has signed in again meanwhile.
    ///
    /// ```swift
    /// case .renew(let refreshToken, _):
    ///     let body = try refreshToken.withSecret { secret in spend(secret) }
    ///     try cache.save(try TokenResponse(json: body), for: TokenRequest(renewing: refreshToken, scopes: scopes))
    /// ```
    ///
    /// - Parameters:
    ///   - refreshToken: the one that was spent, as the cache handed it out.
    ///   - scopes: the scopes that were asked for.
    ///   - tenant: the tenant that was asked; nil for ``RefreshToken/requestTenant``.
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
        spent = RedeemedToken(refreshToken)
        asked = refreshToken.asked
        isolate(as: refreshToken.answer.terms)
    }

    /// The request for a token of the application itself that a query asks for.
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

    /// A request.
    ///
    /// - Parameters:
    ///   - environment: the host of the authority that answered.
    ///   - tenant: the tenant that was asked.
    ///   - scopes: the scopes that were asked for.
    ///   - grant: how the tokens were got.
    ///   - accountID: the account that the tokens are for, where it is known.
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
    /// How the tokens were got; no identity.
    public var description: String { "TokenRequest(\(grant), \(scopes.count) scopes)" }

    /// No children: identities of people stay out of logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
