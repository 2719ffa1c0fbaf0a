/// An access token, plain or bound to a key.
package struct AccessTokenView: CredentialView {
    package let facts: EntryFacts

    package init?(_ facts: EntryFacts) {
        guard facts.kind.isAccessToken else { return nil }
        self.facts = facts
    }

    /// The scopes that were granted, as the server returned them.
    package var target: ScopeSet? { facts.text(.target).map { ScopeSet($0) } }
    package var cachedAt: Int64? { facts.seconds(.cachedAt) }
    package var expiresOn: Int64? { facts.seconds(.expiresOn) }
    /// Until when it may serve while the server is unavailable.
    package var extendedExpiresOn: Int64? { facts.seconds(.extendedExpiresOn, .extExpiresOn) }
    /// When it should be renewed though it still serves.
    package var refreshOn: Int64? { facts.seconds(.refreshOn) }
    /// Seconds that it lived at first, where the SDK kept them.
    package var expiresIn: Int64? { facts.seconds(.expiresIn) }

    /// As it was written; nil means a bearer token.
    package var tokenType: UTF8Text? { facts.text(.tokenType, .accessTokenType) }
    /// The key that a bound token is bound to.
    package var keyID: UTF8Text? { facts.text(.kid, .keyID, .keyid) }

    /// The claims that it was asked for with and is kept apart by.
    package var requestedClaims: UTF8Text? { facts.text(.requestedClaims, .requestedClaimsCamel) }
    package var requestedClaimsHash: UTF8Text? { facts.text(.requestedClaimsHash) }
    /// The hash of extra key components, where the SDK kept that.
    package var extCacheKey: UTF8Text? { facts.text(.extCacheKey) }
    /// The extra key components, where the SDK kept those.
    package var extendedKey: ExtendedKey? { facts.rawJSON(.ext).flatMap { ExtendedKey(json: $0) } }
    package var persistedCacheParameters: [UTF8Text: UTF8Text] { facts.texts(.persistedCacheParameters) }
    package var applicationIdentifier: UTF8Text? {
        facts.text(.applicationCacheIdentifier, .applicationIdentifier)
    }
    package var mamEnrollmentIdentifier: UTF8Text? { facts.text(.mamEnrollmentIdentifier) }

    package var redirectURI: UTF8Text? { facts.text(.redirectURI) }
    package var recoveryAttemptedAt: Int64? { facts.seconds(.recoveryAttemptedAt) }
    package var recoveryAttemptCount: Int? { facts.integer(.recoveryAttemptCount) }
    package var lastRecoveryAttemptFailed: Bool? { facts.boolean(.lastRecoveryAttemptFailed) }
}
