extension TokenCache {
    /// The id token that this application got for an account.
    ///
    /// - Parameters:
    ///   - account: as it was listed or saved.
    ///   - tenant: the tenant that issued it, as for a query; nil for the account's home tenant.
    ///   - environment: the host of the authority; nil for any.
    /// - Returns: the newest one; nil where there is none, and for an account that was signed out.
    /// - Throws: as ``idToken(for:)``.
    public func idToken(
        for account: Account,
        tenant: String? = nil,
        environment: String? = nil
    ) throws(TokenCacheError) -> IDToken? {
        // Which scopes were granted does not matter; what asks for id tokens is this one.
        try idToken(for: TokenQuery(account: account, scopes: ["openid"], tenant: tenant, environment: environment))
    }

    /// What the id token says that this application got for an account from one of its tenants. It is looked up and decoded when
    /// you ask, some microseconds each time; listing accounts reads no id token.
    ///
    /// ```swift
    /// let roles = try cache.claims(for: profile)?.texts("roles")
    /// ```
    ///
    /// - Parameter profile: of an account, as it was listed or saved.
    /// - Returns: nil where this application has no id token of the account from the tenant (it may know the account
    ///   through another application, or through an older library), where it signed out of the account, and for a token of
    ///   another shape.
    /// - Throws: as ``idToken(for:)``.
    public func claims(for profile: TenantProfile) throws(TokenCacheError) -> IDTokenClaims? {
        let query = TokenQuery(
            accountID: profile.accountID,
            scopes: ["openid"],
            tenant: profile.tenant,
            environment: profile.environment
        )
        return try idToken(for: query)?.claims
    }

    /// The id token that this application got for the account, tenant and cloud of a query.
    ///
    /// - Parameter query: its scopes, claims and type of token do not count.
    /// - Returns: the newest one; nil where there is none, for an account that was signed out, and where several
    ///   accounts have the username.
    /// - Throws: ``TokenCacheError/Code/invalidRequest`` for a query without scopes or account,
    ///   ``TokenCacheError/Code/damaged`` where what is stored does not verify, ``TokenCacheError/Code/busy`` or
    ///   ``TokenCacheError/Code/timeout`` where the newest state cannot be read, ``TokenCacheError/Code/closed``,
    ///   ``TokenCacheError/Code/forkedProcess``.
    public func idToken(for query: TokenQuery) throws(TokenCacheError) -> IDToken? {
        try engine.idToken(for: query.terms)
    }
}
