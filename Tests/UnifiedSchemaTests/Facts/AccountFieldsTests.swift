// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import UnifiedSchema

@Suite("Accounts named by entries")
struct AccountFieldsTests {
    @Test("account")
    func account() throws {
        let json = #"""
            {"home_account_id":"H","environment":"E","realm":"R","local_account_id":"L","username":"N","authority_type":"MSSTS",
            "name":"A","given_name":"G","family_name":"F","middle_name":"M","avatar_url":"V","client_info":"I",
            "alternative_account_id":"B","account_source":"password","wam_account_ids":{"c":"w"},"user_assertion_hash":"U",
            "last_modification_time":"1","last_modification_app":"P",
            "tenantProfiles":["{\"tenantId\":\"T\",\"localAccountId\":\"O\",\"isHomeTenant\":true,\"name\":\"X\"}","junk",5]}
            """#
        let facts = try parse(json, section: "Account").facts
        let fields = try #require(AccountFields(facts))
        #expect(
            fields.homeAccountID == "H" && fields.environment == "E" && fields.realm == "R" && fields.username == "N"
        )
        #expect(fields.localAccountID == "L" && fields.name == "A" && fields.hasTenantProfiles)
        #expect(fields.givenName == "G" && fields.familyName == "F" && fields.middleName == "M")
        let profiles = AccountFields.tenantProfiles(of: facts)
        let profile = try #require(profiles.first)
        #expect(profiles.count == 1)
        #expect(profile.tenantID == "T" && profile.localAccountID == "O")
        #expect(profile.name == "X" && profile.username == nil)
    }

    @Test("an account as Android spells it")
    func otherSpellings() throws {
        let facts = try parse(#"{"environment":"E","username":"N","first_name":"G"}"#, section: "Account").facts
        #expect(AccountFields(facts)?.givenName == "G" && AccountFields(facts)?.hasTenantProfiles == false)
    }

    @Test("a blank home account id counts as absent", arguments: ["", " \\t"])
    func blankHomeAccountID(text: String) throws {
        let facts = try parse(#"{"home_account_id":"\#(text)","username":"N"}"#, section: "Account").facts
        #expect(try #require(AccountFields(facts)).homeAccountID == nil)
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
        #expect(view.accounts[0].signInState == .signedOut)
        #expect(view.accounts[0].urlMap.map { [$0.requested, $0.cached] } == [["a", "b"]])
        #expect(view.accounts[1].signInState == .unknown && view.accounts[2].signInState == .unknown)
    }

    @Test("no entry has a wrong kind")
    func otherKinds() throws {
        let facts = try parse(pythonAccessToken).facts
        #expect(AccountFields(facts) == nil && AccountMetadataView(facts) == nil && LegacyTokenView(facts) == nil)
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
        #expect(view.hasRefreshToken && view.userID == "u@x" && view.resource == "https://r")
        #expect(view.clientID == "c" && view.authority == "https://a/t" && view.expiresIn == 3599)
        #expect(view.expiresOnText == "2020-01-01 00:00:00.000000" && view.isMultiResource == true)
        #expect(facts.secretCount == 2)
        #expect(MemberName.legacyAccessToken.isSecret && MemberName.legacyRefreshToken.isSecret)
    }
}
