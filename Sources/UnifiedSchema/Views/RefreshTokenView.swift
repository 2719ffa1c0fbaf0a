/// A refresh token of any sort: of one app, of a family, bound to a device, or the primary one of a device.
package struct RefreshTokenView: CredentialView {
    package let facts: EntryFacts

    package init?(_ facts: EntryFacts) {
        guard facts.kind.isRefreshToken else { return nil }
        self.facts = facts
    }

    /// Nil, or blank, for a token of one app.
    package var familyID: UTF8Text? { facts.text(.familyID) }
    /// Scopes that some SDKs write down; they limit nothing.
    package var target: ScopeSet? { facts.text(.target).map { ScopeSet($0) } }
    package var cachedAt: Int64? { facts.seconds(.cachedAt) }
    package var extendedKey: ExtendedKey? { facts.rawJSON(.ext).flatMap { ExtendedKey(json: $0) } }

    /// The device that a bound token is bound to.
    package var boundDeviceID: UTF8Text? { facts.text(.boundDeviceID) }
    package var redirectURI: UTF8Text? { facts.text(.redirectURI) }
    package var recoveryAttemptedAt: Int64? { facts.seconds(.recoveryAttemptedAt) }
    package var recoveryAttemptCount: Int? { facts.integer(.recoveryAttemptCount) }
    package var lastRecoveryAttemptFailed: Bool? { facts.boolean(.lastRecoveryAttemptFailed) }
}

/// What only a primary refresh token has.
extension RefreshTokenView {
    /// Whether there is a session key; it is a secret, in the payload.
    package var hasSessionKey: Bool { facts.has(.sessionKey) }
    package var deviceID: UTF8Text? { facts.text(.deviceID) }
    /// The version of the protocol, at least 3.0 as MSAL for ObjC reads it.
    package var protocolVersion: UTF8Text {
        guard let version = facts.text(.prtProtocolVersion), let number = Double(version.string), number >= 3 else {
            return "3.0"
        }
        return version
    }
    /// Where the session key is: 0 beside the token.
    package var externalKeyType: Int { facts.integer(.externalKeyType) ?? 0 }
    package var sessionKeyRollingDate: Int64? { facts.seconds(.sessionKeyRollingDate) }
    package var expiresOn: Int64? { facts.seconds(.expiresOn) }
    package var expiresIn: Int64? { facts.seconds(.expiresIn) }
}
