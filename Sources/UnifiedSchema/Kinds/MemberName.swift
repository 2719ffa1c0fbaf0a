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
}

extension MemberName {
    /// The name in JSON.
    package var text: StaticString {
        switch self {
        case .homeAccountID: "home_account_id"
        case .environment: "environment"
        case .realm: "realm"
        case .clientID: "client_id"
        case .credentialType: "credential_type"
        case .secret: "secret"
        case .target: "target"
        case .cachedAt: "cached_at"
        case .expiresOn: "expires_on"
        case .extendedExpiresOn: "extended_expires_on"
        case .refreshOn: "refresh_on"
        case .tokenType: "token_type"
        case .familyID: "family_id"
        case .lastModificationTime: "last_modification_time"
        case .extExpiresOn: "ext_expires_on"
        case .kid: "kid"
        case .keyid: "keyid"
        case .keyID: "key_id"
        case .userAssertionHash: "user_assertion_hash"
        case .userAssertionHashCamel: "userAssertionHash"
        case .requestedClaims: "requested_claims"
        case .requestedClaimsCamel: "requestedClaims"
        case .requestedClaimsHash: "requestedClaimsHash"
        case .extCacheKey: "ext_cache_key"
        case .ext: "ext"
        case .persistedCacheParameters: "persisted_cache_parameters"
        case .applicationCacheIdentifier: "application_cache_identifier"
        case .applicationIdentifier: "application_identifier"
        case .enrollmentID: "enrollment_id"
        case .mamEnrollmentIdentifier: "mam_enrollment_identifier"
        case .speInfo: "spe_info"
        case .expiresIn: "expires_in"
        case .redirectURI: "redirect_uri"
        case .recoveryAttemptedAt: "recovery_attempted_at"
        case .recoveryAttemptCount: "recovery_attempt_count"
        case .lastRecoveryAttemptFailed: "last_recovery_attempt_failed"
        case .lastModificationApp: "last_modification_app"
        case .accessTokenType: "access_token_type"
        case .authority: "authority"
        case .clientInfo: "client_info"
        case .boundDeviceID: "bound_device_id"
        case .sessionKey: "session_key"
        case .deviceID: "device_id"
        case .prtProtocolVersion: "prt_protocol_version"
        case .externalKeyType: "external_key_type"
        case .sessionKeyRollingDate: "session_key_rolling_date"
        case .localAccountID: "local_account_id"
        case .username: "username"
        case .authorityType: "authority_type"
        case .name: "name"
        case .givenName: "given_name"
        case .familyName: "family_name"
        case .middleName: "middle_name"
        case .firstName: "first_name"
        case .avatarURL: "avatar_url"
        case .alternativeAccountID: "alternative_account_id"
        case .accountSource: "account_source"
        case .wamAccountIDs: "wam_account_ids"
        case .tenantProfiles: "tenantProfiles"
        case .principalHomeAccountID: "principal_home_account_id"
        case .principalUsername: "principal_username"
        case .principalAccountEnvironment: "principal_account_environment"
        case .accountMetadataMap: "account_metadata_map"
        case .authorityMap: "athority_map"
        case .signInState: "sign_in_state"
        case .legacyAccessToken: "accessToken"
        case .legacyRefreshToken: "refreshToken"
        case .legacyTokenType: "tokenType"
        case .legacyAccessTokenType: "accessTokenType"
        case .legacyExpiresIn: "expiresIn"
        case .legacyExpiresOn: "expiresOn"
        case .legacyCreatedOn: "createdOn"
        case .legacyCachedAt: "cachedAt"
        case .legacyResource: "resource"
        case .legacyUserID: "userId"
        case .legacyIsUserIDDisplayable: "isUserIdDisplayable"
        case .legacyTenantID: "tenantId"
        case .legacyGivenName: "givenName"
        case .legacyFamilyName: "familyName"
        case .legacyObjectID: "oid"
        case .legacyIdentityProvider: "identityProvider"
        case .legacyIsMultiResource: "isMRRT"
        case .legacyClientIDField: "_clientId"
        case .legacyAuthorityField: "_authority"
        case .legacyClientID: "clientId"
        case .legacyFamilyID: "familyId"
        case .legacyHomeAccountID: "homeAccountId"
        case .legacyEnrollmentID: "enrollmentId"
        case .legacyApplicationIdentifier: "applicationIdentifier"
        case .legacyUserInformation: "userInformation"
        case .legacyAdditionalServer: "additionalServer"
        case .legacyAdditionalClient: "additionalClient"
        case .legacyServicePrincipalID: "servicePrincipalId"
        case .legacyServicePrincipalTenant: "servicePrincipalTenant"
        }
    }

    /// Whether the value is a token or a key. Such values are never stored among the facts, in entries of any kind.
    package var isSecret: Bool {
        switch self {
        case .secret, .sessionKey, .legacyAccessToken, .legacyRefreshToken: true
        default: false
        }
    }

    /// Whether the value decides what an entry matches. If it is neither text nor null, the entry is opaque.
    var decidesIdentity: Bool {
        switch self {
        case .homeAccountID, .environment, .realm, .clientID, .credentialType, .target, .tokenType, .accessTokenType,
            .familyID, .kid, .keyid, .keyID, .userAssertionHash, .userAssertionHashCamel, .requestedClaims,
            .requestedClaimsCamel, .requestedClaimsHash, .extCacheKey, .applicationCacheIdentifier,
            .applicationIdentifier, .localAccountID, .username, .boundDeviceID:
            true
        default: false
        }
    }
}
