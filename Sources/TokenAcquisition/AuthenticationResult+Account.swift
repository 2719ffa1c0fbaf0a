// SPDX-License-Identifier: Apache-2.0

public import TokenCaching

/// Whose the token is. Each call reads the cache and has two forms, as those of `TokenCache` have: Swift selects the one
/// that does not block where the call is awaited.
extension AuthenticationResult {
    /// The account, as the cache knows it now.
    ///
    /// - Returns: nil for an application's own token, and if the application was signed out of the account, or it was
    ///   removed, in the meantime.
    /// - Throws: ``AcquisitionError/Code/cacheFailed``.
    public func account() throws(AcquisitionError) -> Account? {
        guard let filter = accountFilter else { return nil }
        return try usingCache(try context.cache.accounts(matching: filter)).first
    }

    /// The account, as the cache knows it now, without blocking the calling thread. Result and errors are those of the
    /// synchronous form.
    nonisolated(nonsending) public func account() async throws(AcquisitionError) -> Account? {
        guard let filter = accountFilter else { return nil }
        return try await usingCache(try await context.cache.accounts(matching: filter)).first
    }

    /// The account's profile in the tenant that issued the token.
    ///
    /// - Returns: nil if there is none.
    /// - Throws: ``AcquisitionError/Code/cacheFailed``.
    public func tenantProfile() throws(AcquisitionError) -> TenantProfile? {
        profile(of: try account())
    }

    /// The account's profile in the tenant that issued the token, without blocking the calling thread. Result and errors
    /// are those of the synchronous form.
    nonisolated(nonsending) public func tenantProfile() async throws(AcquisitionError) -> TenantProfile? {
        profile(of: try await account())
    }

    /// The id token of the account in the tenant that issued the access token.
    ///
    /// - Returns: nil if there is none.
    /// - Throws: ``AcquisitionError/Code/cacheFailed``.
    public func idToken() throws(AcquisitionError) -> IDToken? {
        guard let account = try account() else { return nil }
        let (tenant, environment) = (accessToken.tenant, accessToken.environment)
        return try usingCache(try context.cache.idToken(for: account, tenant: tenant, environment: environment))
    }

    /// The id token of the account in the tenant that issued the access token, without blocking the calling thread.
    /// Result and errors are those of the synchronous form.
    nonisolated(nonsending) public func idToken() async throws(AcquisitionError) -> IDToken? {
        guard let account = try await account() else { return nil }
        let (tenant, environment) = (accessToken.tenant, accessToken.environment)
        return try await usingCache(
            try await context.cache.idToken(for: account, tenant: tenant, environment: environment)
        )
    }

    private var accountFilter: AccountFilter? { accessToken.accountID.map { AccountFilter(id: $0) } }

    private func profile(of account: Account?) -> TenantProfile? {
        account?.tenantProfiles.first { $0.tenant.lowercased() == accessToken.tenant }
    }
}
