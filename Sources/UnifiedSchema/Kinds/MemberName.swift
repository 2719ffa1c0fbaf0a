// SPDX-License-Identifier: Apache-2.0

/// The members of entries that an SDK is known to use.
///
/// The numbers are stored in encoded facts, one byte instead of the name: they never change and are never reused. 0 and
/// 255 are not names.
package enum MemberName: UInt8, Hashable, Sendable, CaseIterable {
    case homeAccountID = 1
    case environment = 2
    case realm = 3
    case clientID = 4
    case credentialType = 5
    case secret = 6
    case target = 7
    case cachedAt = 8
    case expiresOn = 9
    case extendedExpiresOn = 10
    case refreshOn = 11
    case tokenType = 12
    case familyID = 13
    case lastModificationTime = 14
    case extExpiresOn = 15
    case kid = 16
    case keyid = 17
    case keyID = 18
    case userAssertionHash = 19
    case userAssertionHashCamel = 20
    case requestedClaims = 21
    case requestedClaimsCamel = 22
    case requestedClaimsHash = 23
    case extCacheKey = 24
    case ext = 25
    case persistedCacheParameters = 26
    case applicationCacheIdentifier = 27
    case applicationIdentifier = 28
    case enrollmentID = 29
    case mamEnrollmentIdentifier = 30
    case speInfo = 31
    case expiresIn = 32
    case redirectURI = 33
    case recoveryAttemptedAt = 34
    case recoveryAttemptCount = 35
    case lastRecoveryAttemptFailed = 36
    case lastModificationApp = 37
    case accessTokenType = 38
    case authority = 39
    case clientInfo = 40
    case boundDeviceID = 41
    case sessionKey = 42
    case deviceID = 43
    case prtProtocolVersion = 44
    case externalKeyType = 45
    case sessionKeyRollingDate = 46
    case localAccountID = 47
    case username = 48
    case authorityType = 49
    case name = 50
    case givenName = 51
    case familyName = 52
    case middleName = 53
    case firstName = 54
    case avatarURL = 55
    case alternativeAccountID = 56
    case accountSource = 57
    case wamAccountIDs = 58
    case tenantProfiles = 59
    case principalHomeAccountID = 60
    case principalUsername = 61
    case principalAccountEnvironment = 62
    case accountMetadataMap = 63
    /// `athority_map`: the missing letter is part of the name.
    case authorityMap = 64
    case signInState = 65
    // The members from here on belong to items of ADAL.
    case legacyAccessToken = 66
    case legacyRefreshToken = 67
    case legacyTokenType = 68
    case legacyAccessTokenType = 69
    case legacyExpiresIn = 70
    case legacyExpiresOn = 71
    case legacyCreatedOn = 72
    case legacyCachedAt = 73
    case legacyResource = 74
    case legacyUserID = 75
    case legacyIsUserIDDisplayable = 76
    case legacyTenantID = 77
    case legacyGivenName = 78
    case legacyFamilyName = 79
    case legacyObjectID = 80
    case legacyIdentityProvider = 81
    case legacyIsMultiResource = 82
    case legacyClientIDField = 83
    case legacyAuthorityField = 84
    case legacyClientID = 85
    case legacyFamilyID = 86
    case legacyHomeAccountID = 87
    case legacyEnrollmentID = 88
    case legacyApplicationIdentifier = 89
    case legacyUserInformation = 90
    case legacyAdditionalServer = 91
    case legacyAdditionalClient = 92
    case legacyServicePrincipalID = 93
    case legacyServicePrincipalTenant = 94
    /// This library's own: a token that an application obtained for itself.
    case applicationToken = 95
    // Newer members of access tokens.
    case additionalCacheKeyComponents = 96
    case additionalCacheKeyComponentsHash = 97
    case extCacheKeyHash = 98
    /// This library's own: the issuer in which the home account id is a subject.
    case issuer = 99
}

extension MemberName {
    /// What the value is used for.
    enum Use {
        /// A token or a key.
        case secret
        /// Text that decides what an entry matches.
        case identity
        /// Text that isolates a credential. Of several members for one part, the one with the lowest number is used.
        case isolation(IsolationPart)
        /// An object of key components, whose hash isolates a credential unless `ext_cache_key` contains it.
        case components
        /// Anything else, of any JSON type.
        case other
    }

    /// The properties of a member. None has a default, so that no new member lacks one.
    private struct Definition {
        let text: StaticString
        let use: Use
        let onlyWriter: KeyFormat?

        /// A member that identifies no SDK, usually because several write it.
        static func common(_ text: StaticString, _ use: Use) -> Definition {
            Definition(text: text, use: use, onlyWriter: nil)
        }

        /// A member that only one SDK writes, and that identifies it.
        static func only(_ writer: KeyFormat, _ text: StaticString, _ use: Use) -> Definition {
            Definition(text: text, use: use, onlyWriter: writer)
        }
    }

    /// What each member is. Inlined, so that each of the properties below is compiled to what it needs, and nothing is built.
    @inline(__always)
    private var definition: Definition {
        switch self {
        case .homeAccountID: .common("home_account_id", .identity)
        case .environment: .common("environment", .identity)
        case .realm: .common("realm", .identity)
        case .clientID: .common("client_id", .identity)
        case .credentialType: .common("credential_type", .identity)
        case .secret: .common("secret", .secret)
        case .target: .common("target", .identity)
        case .cachedAt: .common("cached_at", .other)
        case .expiresOn: .common("expires_on", .other)
        case .extendedExpiresOn: .common("extended_expires_on", .other)
        case .refreshOn: .common("refresh_on", .other)
        case .tokenType: .common("token_type", .identity)
        case .familyID: .common("family_id", .identity)
        case .lastModificationTime: .common("last_modification_time", .other)
        case .extExpiresOn: .only(.dotNet, "ext_expires_on", .other)
        case .kid: .common("kid", .identity)
        case .keyid: .only(.go, "keyid", .identity)
        case .keyID: .only(.python, "key_id", .identity)
        case .userAssertionHash: .common("user_assertion_hash", .isolation(.assertionHash))
        case .userAssertionHashCamel: .only(.javaScript, "userAssertionHash", .isolation(.assertionHash))
        case .requestedClaims: .common("requested_claims", .isolation(.claims))
        case .requestedClaimsCamel: .only(.javaScript, "requestedClaims", .isolation(.claims))
        case .requestedClaimsHash: .only(.javaScript, "requestedClaimsHash", .isolation(.claims))
        case .extCacheKey: .common("ext_cache_key", .isolation(.extendedKey))
        case .ext: .only(.dotNet, "ext", .components)
        case .persistedCacheParameters: .only(.dotNet, "persisted_cache_parameters", .other)
        case .applicationCacheIdentifier: .only(.objectiveC, "application_cache_identifier", .isolation(.application))
        case .applicationIdentifier: .only(.android, "application_identifier", .isolation(.application))
        case .enrollmentID: .only(.objectiveC, "enrollment_id", .other)
        case .mamEnrollmentIdentifier: .only(.android, "mam_enrollment_identifier", .other)
        case .speInfo: .only(.objectiveC, "spe_info", .other)
        case .expiresIn: .common("expires_in", .other)
        case .redirectURI: .common("redirect_uri", .other)
        case .recoveryAttemptedAt: .common("recovery_attempted_at", .other)
        case .recoveryAttemptCount: .common("recovery_attempt_count", .other)
        case .lastRecoveryAttemptFailed: .common("last_recovery_attempt_failed", .other)
        case .lastModificationApp: .only(.objectiveC, "last_modification_app", .other)
        case .accessTokenType: .only(.android, "access_token_type", .identity)
        case .authority: .common("authority", .other)
        case .clientInfo: .common("client_info", .other)
        case .boundDeviceID: .common("bound_device_id", .identity)
        case .sessionKey: .common("session_key", .secret)
        case .deviceID: .common("device_id", .other)
        case .prtProtocolVersion: .common("prt_protocol_version", .other)
        case .externalKeyType: .common("external_key_type", .other)
        case .sessionKeyRollingDate: .common("session_key_rolling_date", .other)
        case .localAccountID: .common("local_account_id", .identity)
        case .username: .common("username", .identity)
        case .authorityType: .common("authority_type", .other)
        case .name: .common("name", .other)
        case .givenName: .common("given_name", .other)
        case .familyName: .common("family_name", .other)
        case .middleName: .common("middle_name", .other)
        case .firstName: .only(.android, "first_name", .other)
        case .avatarURL: .only(.android, "avatar_url", .other)
        case .alternativeAccountID: .common("alternative_account_id", .other)
        case .accountSource: .common("account_source", .other)
        case .wamAccountIDs: .only(.dotNet, "wam_account_ids", .other)
        case .tenantProfiles: .only(.javaScript, "tenantProfiles", .other)
        case .principalHomeAccountID: .common("principal_home_account_id", .other)
        case .principalUsername: .common("principal_username", .other)
        case .principalAccountEnvironment: .common("principal_account_environment", .other)
        case .accountMetadataMap: .common("account_metadata_map", .other)
        case .authorityMap: .common("athority_map", .other)
        case .signInState: .common("sign_in_state", .other)
        case .legacyAccessToken: .common("accessToken", .secret)
        case .legacyRefreshToken: .common("refreshToken", .secret)
        case .legacyTokenType: .common("tokenType", .other)
        case .legacyAccessTokenType: .common("accessTokenType", .other)
        case .legacyExpiresIn: .common("expiresIn", .other)
        case .legacyExpiresOn: .common("expiresOn", .other)
        case .legacyCreatedOn: .common("createdOn", .other)
        case .legacyCachedAt: .common("cachedAt", .other)
        case .legacyResource: .common("resource", .other)
        case .legacyUserID: .common("userId", .other)
        case .legacyIsUserIDDisplayable: .common("isUserIdDisplayable", .other)
        case .legacyTenantID: .common("tenantId", .other)
        case .legacyGivenName: .common("givenName", .other)
        case .legacyFamilyName: .common("familyName", .other)
        case .legacyObjectID: .common("oid", .other)
        case .legacyIdentityProvider: .common("identityProvider", .other)
        case .legacyIsMultiResource: .common("isMRRT", .other)
        case .legacyClientIDField: .common("_clientId", .other)
        case .legacyAuthorityField: .common("_authority", .other)
        case .legacyClientID: .common("clientId", .other)
        case .legacyFamilyID: .common("familyId", .other)
        case .legacyHomeAccountID: .common("homeAccountId", .other)
        case .legacyEnrollmentID: .common("enrollmentId", .other)
        case .legacyApplicationIdentifier: .common("applicationIdentifier", .other)
        case .legacyUserInformation: .common("userInformation", .other)
        case .legacyAdditionalServer: .common("additionalServer", .other)
        case .legacyAdditionalClient: .common("additionalClient", .other)
        case .legacyServicePrincipalID: .common("servicePrincipalId", .other)
        case .legacyServicePrincipalTenant: .common("servicePrincipalTenant", .other)
        case .applicationToken: .common("application_token", .other)
        case .additionalCacheKeyComponents: .only(.node5, "additionalCacheKeyComponents", .components)
        case .additionalCacheKeyComponentsHash:
            .only(.node5, "additionalCacheKeyComponentsHash", .isolation(.extendedKey))
        case .extCacheKeyHash: .only(.java, "ext_cache_key_hash", .isolation(.extendedKey))
        case .issuer: .common("issuer", .other)
        }
    }

    /// The name in JSON.
    package var text: StaticString { definition.text }

    /// What the value is used for.
    var use: Use { definition.use }

    /// The SDK that the member identifies, because no other one writes it; nil if it identifies none.
    var onlyWriter: KeyFormat? { definition.onlyWriter }

    /// Whether the value is a token or a key. Such values are never stored among the facts, in entries of any kind.
    package var isSecret: Bool {
        switch use {
        case .secret: true
        case .identity, .isolation, .components, .other: false
        }
    }

    /// Whether the value is text that decides what an entry matches. If it is neither text nor null, the entry is
    /// opaque.
    var decidesIdentity: Bool {
        switch use {
        case .identity, .isolation: true
        case .secret, .components, .other: false
        }
    }

    /// The part of an ``Isolation`` that the member contains; nil if it contains none.
    var isolationPart: IsolationPart? {
        switch use {
        case .isolation(let part): part
        case .secret, .identity, .components, .other: nil
        }
    }
}
