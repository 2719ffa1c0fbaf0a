/// Which token is wanted, prepared once and asked for as often as needed.
///
/// Making a query normalises what it is given: identities and scopes are folded (A-Z only) and put into one run of bytes.
/// A query remembers the last answer of the cache that it was asked of, so keep the queries that you repeat: asking again
/// then costs a few dozen nanoseconds, allocates nothing and shares nothing with other queries. Safe to use from any
/// thread, and with more than one cache (only the last one's answer is remembered).
///
/// ```swift
/// let query = TokenQuery(account: account, scopes: ["User.Read"])
/// switch try cache.token(for: query) {
/// case .valid(let token): try token.withSecret { bytes in send(bytes) }
/// case .renew(let refreshToken, _): try refreshToken.withSecret { bytes in renew(bytes) }
/// case .interactionRequired(let reason): signIn(because: reason)
/// @unknown default: signIn(because: nil)
/// }
/// ```
public final class TokenQuery: Sendable {
    /// The last answer. First, so that it lies next to the object's head.
    let answers = AnswerCell()
    let terms: PreparedQuery

    private init(terms: PreparedQuery) {
        self.terms = terms
    }

    /// A query for a token of the account with this id.
    ///
    /// - Parameters:
    ///   - accountID: an ``Account/id``: `uid.utid`, or the subject for issuers without one.
    ///   - scopes: what the token must be good for. Compared without regard to case. Those of OpenID (`openid`,
    ///     `profile`, `email`, `address`, `phone`, `offline_access`) need not have been echoed by the server: where nothing
    ///     else is asked for, any token serves that came of a sign-in. Without any scope the query is refused with
    ///     ``TokenCacheError/Code/invalidRequest`` when it is asked.
    ///   - tenant: the tenant, as id, domain or path of the issuer. By a domain, or whatever a request named, are found the
    ///     tokens that are stored under that text, and those of the tenant that it meant when an id token last came for
    ///     it. `common` and `organizations` mean the account's home tenant, and so does nil; `consumers` means personal accounts. Where the account's id names no home tenant (its
    ///     first response came without `client_info`), that is the only tenant it has a profile of; with several, name
    ///     the tenant. For an issuer of no known cloud, nil means any realm.
    ///   - environment: the host of the authority, such as `login.microsoftonline.com`; all hosts of one cloud are the
    ///     same. Nil for any.
    ///   - options: what else is asked for; nil, as a rule, for nothing.
    public convenience init(
        accountID: Account.ID,
        scopes: [String],
        tenant: String? = nil,
        environment: String? = nil,
        options: TokenQueryOptions? = nil
    ) {
        self.init(
            terms: PreparedQuery(
                .homeAccountID,
                account: accountID.text,
                scopes: scopes,
                tenant: tenant,
                environment: environment,
                options: options
            )
        )
    }

    /// A query for a token of an account that the cache handed out: by its home account id, or by its username where it has
    /// none. Parameters as for the initialiser that takes an id.
    public convenience init(
        account: Account,
        scopes: [String],
        tenant: String? = nil,
        environment: String? = nil,
        options: TokenQueryOptions? = nil
    ) {
        self.init(accountID: account.id, scopes: scopes, tenant: tenant, environment: environment, options: options)
    }

    /// A query for a token of the account with this username.
    ///
    /// Where several accounts of the group have the username, the answer is
    /// ``InteractionReason/severalAccounts``: ask by the id of the account instead. Parameters as for the
    /// initialiser that takes one.
    public convenience init(
        username: String,
        scopes: [String],
        tenant: String? = nil,
        environment: String? = nil,
        options: TokenQueryOptions? = nil
    ) {
        self.init(
            terms: PreparedQuery(
                .username,
                account: username,
                scopes: scopes,
                tenant: tenant,
                environment: environment,
                options: options
            )
        )
    }

    /// A query for a token of the application itself, without an account (client credentials).
    ///
    /// - Parameters:
    ///   - applicationScopes: as a rule one scope that ends in `/.default`.
    ///   - tenant: the tenant that issued the token, as it was named when the token was asked for.
    ///   - environment: the host of the authority; nil for any.
    ///   - options: what else is asked for; nil, as a rule, for nothing.
    public convenience init(
        applicationScopes: [String],
        tenant: String,
        environment: String? = nil,
        options: TokenQueryOptions? = nil
    ) {
        self.init(
            terms: PreparedQuery(
                .application,
                account: "",
                scopes: applicationScopes,
                tenant: tenant,
                environment: environment,
                options: options
            )
        )
    }
}

extension TokenQuery: CustomStringConvertible, CustomReflectable {
    /// What kind of query it is; no identity and no scope.
    public var description: String { "TokenQuery(\(terms.subject), \(terms.scopeTexts.count) scopes)" }

    /// No children: identities of people stay out of logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
