// SPDX-License-Identifier: Apache-2.0

/// A query for a token, prepared once and used as often as needed.
///
/// Creating a query normalises its parameters: identities and scopes are folded (A-Z only) and stored contiguously. A
/// query remembers the last answer of the cache that it was used with, so keep queries that you repeat: repeating one
/// takes a few dozen nanoseconds, allocates nothing and contends with no other query. Safe to use from any thread, and
/// with more than one cache (only the last one's answer is remembered).
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
    /// The last answer. The first property, so that it is close to the object's header in memory.
    let answers = AnswerCell()
    let terms: PreparedQuery

    private init(terms: PreparedQuery) {
        self.terms = terms
    }

    /// A query for a token of the account with this id.
    ///
    /// - Parameters:
    ///   - accountID: an ``Account/id``: `uid.utid`, or the subject for issuers without one.
    ///   - scopes: the scopes that the token must have, compared without regard to case. The server need not have
    ///     echoed OpenID scopes (`openid`, `profile`, `email`, `address`, `phone`, `offline_access`): if only these are
    ///     requested, any token from a sign-in matches. A query without any scope fails with
    ///     ``TokenCacheError/Code/invalidRequest`` when it is used.
    ///   - tenant: the tenant, as an id, a domain or the path of the issuer. A domain, or any other name used in
    ///     requests, matches tokens stored under that name, and tokens of the tenant to which the name resolved when an
    ///     id token was last received for it. `common`, `organizations` and nil mean the account's home tenant;
    ///     `consumers` means personal accounts. If the account's id names no home tenant (its first response came
    ///     without `client_info`), its home tenant is the only tenant it has a profile in; if there are several, give
    ///     the tenant. For an issuer outside the known clouds, nil means any realm, and an empty text the issuer whose
    ///     URL has no path.
    ///   - environment: the host of the authority, such as `login.microsoftonline.com`; all hosts of one cloud are
    ///     equivalent. Nil for any.
    ///   - options: further requirements; nil, the default, for none.
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

    /// A query for a token of an account that the cache returned: by its home account id, or by its username if it has
    /// none. For the parameters, see the initializer that takes an id.
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
    /// Of several accounts with the username, it is the one that the tenant or the environment selects, otherwise the
    /// only one that the application is signed in to. If several remain, the answer is
    /// ``InteractionReason/severalAccounts``: query by the account's id instead. For the parameters, see the initializer
    /// that takes an id.
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

    /// A query for an app-only token (client credentials).
    ///
    /// - Parameters:
    ///   - applicationScopes: usually one scope that ends in `/.default`.
    ///   - tenant: the tenant that issued the token, as it was given in the token request.
    ///   - environment: the host of the authority; nil for any.
    ///   - options: further requirements; nil, the default, for none.
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
    /// The kind of query; no identity and no scope.
    public var description: String { "TokenQuery(\(terms.subject), \(terms.scopeTexts.count) scopes)" }

    /// No children, so that identities do not appear in logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
