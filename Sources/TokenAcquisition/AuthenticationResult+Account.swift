// SPDX-License-Identifier: Apache-2.0

public import TokenCaching

/// Whose the token is. Each call reads the cache, without blocking the calling thread.
extension AuthenticationResult {
    /// The account, as the cache knows it now.
    ///
    /// - Returns: nil for an application's own token, and if the application was signed out of the account, or it was
    ///   removed, in the meantime.
    /// - Throws: ``AcquisitionError/Code/cacheFailed``.
    nonisolated(nonsending) public func account() async throws(AcquisitionError) -> Account? {
        guard let id = accessToken.accountID else { return nil }
        return try await usingCache(try await context.cache.accounts(matching: AccountFilter(id: id))).first
    }

    /// The account's profile in the tenant that issued the token.
    ///
    /// - Returns: nil if there is none.
    /// - Throws: ``AcquisitionError/Code/cacheFailed``.
    nonisolated(nonsending) public func tenantProfile() async throws(AcquisitionError) -> TenantProfile? {
        try await account()?.tenantProfiles.first { $0.tenant.lowercased() == accessToken.tenant }
    }

    /// The id token of the account in the tenant that issued the access token.
    ///
    /// - Returns: nil if there is none.
    /// - Throws: ``AcquisitionError/Code/cacheFailed``.
    nonisolated(nonsending) public func idToken() async throws(AcquisitionError) -> IDToken? {
        guard let account = try await account() else { return nil }
        let (tenant, environment) = (accessToken.tenant, accessToken.environment)
        return try await usingCache(
            try await context.cache.idToken(for: account, tenant: tenant, environment: environment)
        )
    }
}
