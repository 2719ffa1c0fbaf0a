internal import UnifiedSchema

/// Where a tenant profile was read, to find its id token later. It is no part of what a profile says: all are equal.
struct ProfileOrigin: Sendable {
    /// Nil where it was put together from notes.
    let engine: Engine?
    /// The home account id.
    let accountID: String?

    func claims(tenant: String, environment: String) throws(TokenCacheError) -> IDTokenClaims? {
        guard let engine, let accountID else { return nil }
        let terms = QueryTerms(
            .homeAccountID,
            accountID,
            ["openid"],
            tenant: tenant,
            environment: environment,
            nil
        )
        return try engine.idToken(for: terms)?.claims
    }
}

extension ProfileOrigin: Hashable {
    static func == (left: ProfileOrigin, right: ProfileOrigin) -> Bool { true }

    func hash(into hasher: inout Hasher) {}
}
