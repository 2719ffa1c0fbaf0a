import Testing

@testable import UnifiedSchema

@Suite("Every field of every kind")
struct ViewTests {
    @Test("access token")
    func accessToken() throws {
        let json = #"""
            {"credential_type":"AccessToken","secret":"s","home_account_id":"H","environment":"E","client_id":"C",
            "realm":"R","target":"a b","cached_at":"1","expires_on":"2","extended_expires_on":"3","refresh_on":"4",
            "token_type":"pop","key_id":"K","user_assertion_hash":"U","requested_claims":"{}","requestedClaimsHash":"h",
            "ext_cache_key":"x","ext":{"p":"q"},"persisted_cache_parameters":{"m":"n","o":5},
            "application_cache_identifier":"A","mam_enrollment_identifier":"M","enrollment_id":"N","spe_info":"S",
            "expires_in":"5","redirect_uri":"msal://","recovery_attempted_at":"6","recovery_attempt_count":"7",
            "last_recovery_attempt_failed":"0","last_modification_time":"8.5","last_modification_app":"B",
            "authority":"https://a","client_info":"I"}
            """#
        let view = try #require(AccessTokenView(try parse(json).facts))
        #expect(view.credentialType == "AccessToken" && view.homeAccountID == "H" && view.environment == "E")
        #expect(view.clientID == "C" && view.realm == "R" && view.target == "b a" && view.tokenType == "pop")
        #expect(view.cachedAt == 1 && view.expiresOn == 2 && view.extendedExpiresOn == 3 && view.refreshOn == 4)
        #expect(view.keyID == "K" && view.userAssertionHash == "U" && view.requestedClaims == "{}")
        #expect(view.requestedClaimsHash == "h" && view.extCacheKey == "x")
        #expect(view.extendedKey?.components == [ExtendedKey.Component(name: "p", value: "q")])
        #expect(view.persistedCacheParameters == ["m": "n"])
        #expect(view.applicationIdentifier == "A" && view.mamEnrollmentIdentifier == "M" && view.enrollmentID == "N")
        #expect(view.speInfo == "S" && view.expiresIn == 5 && view.redirectURI == "msal://")
        #expect(view.recoveryAttemptedAt == 6 && view.recoveryAttemptCount == 7)
        #expect(view.lastRecoveryAttemptFailed == false && view.lastModificationTime == 8)
        #expect(view.lastModificationApp == "B" && view.authority == "https://a" && view.clientInfo == "I")
    }

    @Test("access token as JS and Android spell it")
    func otherSpellings() throws {
        let json = #"""
            {"secret":"s","environment":"E","client_id":"C","keyid":"K","userAssertionHash":"U","requestedClaims":"{}",
            "ext_expires_on":3,"access_token_type":"Bearer","application_identifier":"A"}
            """#
        let view = try #require(AccessTokenView(try parse(json).facts))
        #expect(view.keyID == "K" && view.userAssertionHash == "U" && view.requestedClaims == "{}")
        #expect(view.extendedExpiresOn == 3 && view.tokenType == "Bearer" && view.applicationIdentifier == "A")
        #expect(view.homeAccountID == nil && view.target == nil && view.persistedCacheParameters.isEmpty)
    }

    @Test("refresh tokens of every sort")
    func refreshTokens() throws {
        let json = #"""
            {"credential_type":"primaryREFRESHtoken","secret":"s","client_id":"C","environment":"E","family_id":"1",
            "target":"t","cached_at":"1","expires_on":"2","expires_in":"3","session_key":"k","device_id":"D",
            "prt_protocol_version":"3.1","external_key_type":"2","session_key_rolling_date":"4","bound_device_id":"B"}
            """#
        let view = try #require(RefreshTokenView(try parse(json, section: "RefreshToken").facts))
        #expect(view.facts.kind == .primaryRefreshToken)
        #expect(view.familyID == "1" && view.target == "t" && view.cachedAt == 1 && view.expiresOn == 2)
        #expect(view.expiresIn == 3 && view.hasSessionKey && view.deviceID == "D" && view.protocolVersion == "3.1")
        #expect(view.externalKeyType == 2 && view.sessionKeyRollingDate == 4 && view.boundDeviceID == "B")
        #expect(view.facts.rawJSON(.sessionKey) == nil)
    }

    @Test("an old protocol version counts as 3.0", arguments: [#""2.0""#, #""x""#, "null", "3"])
    func protocolVersion(version: String) throws {
        let json = #"{"secret":"s","client_id":"C","environment":"E","prt_protocol_version":\#(version)}"#
        let view = try #require(RefreshTokenView(try parse(json, section: "RefreshToken").facts))
        #expect(view.protocolVersion == "3.0")
        #expect(view.externalKeyType == 0 && !view.hasSessionKey)
    }

    @Test("id tokens of both versions", arguments: ["IdToken", "IDToken", "V1IdToken"])
    func idToken(type: String) throws {
        let json = #"{"credential_type":"\#(type)","secret":"s","client_id":"C","environment":"E","realm":"R"}"#
        let view = try #require(IDTokenView(try parse(json, section: "IdToken").facts))
        #expect(view.realm == "R")
    }

    @Test("account")
    func account() throws {
        let json = #"""
            {"home_account_id":"H","environment":"E","realm":"R","local_account_id":"L","username":"N","authority_type":"MSSTS",
            "name":"A","given_name":"G","family_name":"F","middle_name":"M","avatar_url":"V","client_info":"I",
            "alternative_account_id":"B","account_source":"password","wam_account_ids":{"c":"w"},"user_assertion_hash":"U",
            "last_modification_time":"1","last_modification_app":"P",
            "tenantProfiles":["{\"tenantId\":\"T\",\"localAccountId\":\"O\",\"isHomeTenant\":true,\"name\":\"X\"}","junk",5]}
            """#
        let view = try #require(AccountView(try parse(json, section: "Account").facts))
        #expect(view.homeAccountID == "H" && view.environment == "E" && view.realm == "R" && view.username == "N")
        #expect(view.localAccountID == "L" && view.authorityType == "MSSTS" && view.name == "A")
        #expect(view.givenName == "G" && view.familyName == "F" && view.middleName == "M" && view.avatarURL == "V")
        #expect(view.clientInfo == "I" && view.alternativeAccountID == "B" && view.accountSource == "password")
        #expect(view.wamAccountIDs == ["c": "w"] && view.userAssertionHash == "U")
        #expect(view.lastModificationTime == 1 && view.lastModificationApp == "P")
        let profile = try #require(view.tenantProfiles.first)
        #expect(view.tenantProfiles.count == 1)
        #expect(profile.tenantID == "T" && profile.localAccountID == "O" && profile.isHomeTenant)
        #expect(profile.name == "X" && profile.username == nil)
    }

    @Test("app metadata", arguments: [(#""1""#, "1"), (#""""#, nil), ("null", nil)] as [(String, String?)])
    func appMetadata(family: String, expected: String?) throws {
        let json = #"{"client_id":"C","environment":"E","family_id":\#(family)}"#
        let view = try #require(AppMetadataView(try parse(json, section: "AppMetadata").facts))
        #expect(view.clientID == "C" && view.environment == "E" && view.familyID?.string == expected)
    }

    @Test("account metadata, with the name that is spelled wrong")
    func accountMetadata() throws {
        let json = #"""
            {"client_id":"C","principal_home_account_id":"P","principal_username":"N","principal_account_environment":"E",
            "account_metadata_map":{"H":{"client_id":"C","home_account_id":"H","sign_in_state":"signed_out",
            "athority_map":{"URLMap-":{"a":"b"},"URLMap-instance_aware=YES":{"c":"d"}}},
            "I":{"sign_in_state":"dancing"},"J":5}}
            """#
        let view = try #require(AccountMetadataView(try parse(json, section: "AccountMetadataMap").facts))
        #expect(view.clientID == "C" && view.principalHomeAccountID == "P" && view.principalUsername == "N")
        #expect(view.principalAccountEnvironment == "E")
        #expect(view.accounts.map(\.homeAccountID) == ["H", "I", "J"])
        #expect(view.accounts[0].signInState == .signedOut && view.accounts[0].clientID == "C")
        #expect(view.accounts[0].urlMap == ["a": "b"] && view.accounts[0].instanceAwareURLMap == ["c": "d"])
        #expect(view.accounts[1].signInState == .unknown && view.accounts[2].signInState == .unknown)
    }

    @Test("an entry is not seen as what it is not")
    func otherKinds() throws {
        let facts = try parse(pythonAccessToken).facts
        #expect(RefreshTokenView(facts) == nil && IDTokenView(facts) == nil && AccountView(facts) == nil)
        #expect(AppMetadataView(facts) == nil && AccountMetadataView(facts) == nil && LegacyTokenView(facts) == nil)
        #expect(AccessTokenView(try parse("{}").facts) == nil)
    }

    @Test("ADAL's items show their fields, and no token is one of them")
    func legacy() throws {
        var draft = EntryDraft()
        draft.setSecret(.legacyAccessToken)
        draft.setSecret(.legacyRefreshToken)
        draft.set(.legacyUserID, "u@x")
        draft.set(.legacyResource, "https://r")
        draft.set(.legacyClientIDField, "c")
        draft.set(.legacyAuthorityField, "https://a/t")
        draft.set(.legacyExpiresIn, json: Array("3599".utf8))
        draft.set(.legacyExpiresOn, "2020-01-01 00:00:00.000000")
        draft.set(.legacyIsMultiResource, json: Array("true".utf8))
        draft.set(.legacyTokenType, "Bearer")
        let facts = draft.facts(kind: .legacySingleResourceToken, section: .accessToken, key: "k")
        let view = try #require(LegacyTokenView(facts))
        #expect(view.hasAccessToken && view.hasRefreshToken && view.userID == "u@x" && view.resource == "https://r")
        #expect(view.clientID == "c" && view.authority == "https://a/t" && view.expiresIn == 3599)
        #expect(view.expiresOnText == "2020-01-01 00:00:00.000000" && view.isMultiResource == true)
        #expect(view.tokenType == "Bearer" && facts.secretCount == 2)
        #expect(MemberName.legacyAccessToken.isSecret && MemberName.legacyRefreshToken.isSecret)
    }
}
