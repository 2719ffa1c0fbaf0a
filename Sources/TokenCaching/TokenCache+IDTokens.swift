// SPDX-License-Identifier: Apache-2.0

internal import UnifiedSchema

extension TokenCache {
    /// The id token that this application obtained for an account.
    ///
    /// - Parameters:
    ///   - account: an account that the cache returned.
    ///   - tenant: the tenant that issued it, as for a query; nil for the account's home tenant.
    ///   - environment: the host of the authority; nil for any.
    /// - Returns: the newest one; nil if there is none, or this application signed out of the account.
    /// - Throws: the errors of ``idToken(for:)``.
    public func idToken(
        for account: Account,
        tenant: String? = nil,
        environment: String? = nil
    ) throws(TokenCacheError) -> IDToken? {
        // Granted scopes do not matter here; `openid` is the scope that requests id tokens.
        try idToken(for: TokenQuery(account: account, scopes: ["openid"], tenant: tenant, environment: environment))
    }

    /// The claims of the id token that this application obtained for an account from one of its tenants. Each call
    /// looks the token up and decodes it, which takes some microseconds; listing accounts reads no id token.
    ///
    /// ```swift
    /// let roles = try cache.claims(for: profile)?.texts("roles")
    /// ```
    ///
    /// - Parameter profile: a profile of an account that the cache returned.
    /// - Returns: nil if this application has no id token of the account from the tenant (it may know the account
    ///   through another application, or through an older library), if it signed out of the account, or if the token is
    ///   malformed.
    /// - Throws: the errors of ``idToken(for:)``.
    public func claims(for profile: TenantProfile) throws(TokenCacheError) -> IDTokenClaims? {
        // Some libraries store tokens of the home tenant under a word for it.
        let home = TenantWord.homeTenant(of: UTF8Text(profile.accountID.text))
        let isHome = home == UTF8Text(profile.tenant).normalized()
        let query = TokenQuery(
            accountID: profile.accountID,
            scopes: ["openid"],
            tenant: isHome ? TenantWord.common.rawValue : profile.tenant,
            environment: profile.environment
        )
        return try idToken(for: query)?.claims
    }

    /// The id token that this application obtained for the account, tenant and cloud of a query.
    ///
    /// - Parameter query: its scopes, claims and token type are ignored.
    /// - Returns: the newest one; nil if there is none, if this application signed out of the account, or if several
    ///   accounts have the username.
    /// - Throws: ``TokenCacheError/Code/invalidRequest`` for a query without scopes or account,
    ///   ``TokenCacheError/Code/damaged`` if the stored data does not verify, ``TokenCacheError/Code/busy`` or
    ///   ``TokenCacheError/Code/timeout`` if the newest state cannot be read, ``TokenCacheError/Code/closed``,
    ///   ``TokenCacheError/Code/forkedProcess``.
    public func idToken(for query: TokenQuery) throws(TokenCacheError) -> IDToken? {
        try translating(try engine.idToken(for: query.terms))
    }
}
