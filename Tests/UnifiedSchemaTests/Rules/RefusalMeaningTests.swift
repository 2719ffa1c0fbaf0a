// SPDX-License-Identifier: Apache-2.0

import Testing
import UnifiedSchema

@Suite("Consequences of a refusal for the refresh token")
struct RefusalMeaningTests {
    @Test(
        "whose host it is",
        arguments: [
            ("login.microsoftonline.com", IssuerKind.entra), (" STS.windows.net", .entra),
            ("login.chinacloudapi.cn", .entra),
            ("contoso.ciamlogin.com", .entra), ("contoso.b2clogin.com", .b2c), ("Contoso.B2Clogin.com", .b2c),
            ("contoso.b2clogin.cn", .b2c), ("contoso.b2clogin.us", .b2c), ("contoso.b2clogin.de", .b2c),
            ("b2clogin.cn", .other), ("evilb2clogin.us", .other), ("contoso.b2clogin.org", .other),
            ("contoso.b2clogin.com.cn", .other), ("contoso.ciamlogin.us", .other), ("b2clogin.de.example.org", .other),
            ("ciamlogin.com", .other), ("b2clogin.com.example.org", .other), ("evilb2clogin.com", .other),
            ("accounts.google.com", .other), ("", .other),
        ]
    )
    func issuer(host: String, kind: IssuerKind) {
        #expect(IssuerKind(host: UTF8Text(host), clouds: .builtIn) == kind)
    }

    @Test("a bare invalid_grant does not say that a token is dead", arguments: IssuerKind.allCases)
    func bare(issuer: IssuerKind) {
        for suberror: UTF8Text? in [nil, "", " "] {
            let found = RefusalMeaning(error: "invalid_grant", suberror: suberror, issuer: issuer)
            #expect(found == (issuer == .entra ? .userNeeded : .unexplained))
        }
        for suberror: UTF8Text in ["consent_required", "basic_action", "bad_tokens"] {
            #expect(RefusalMeaning(error: "invalid_grant", suberror: suberror, issuer: issuer) == .userNeeded)
        }
    }

    @Test(
        "only Microsoft's hosts say by a suberror what became of a token or an account",
        arguments: IssuerKind.allCases
    )
    func suberrors(issuer: IssuerKind) {
        let expected: [(UTF8Text, RefusalMeaning)] = [
            ("bad_token", .deadToken), ("token_expired", .deadToken), (" Bad_Token", .deadToken),
            ("user_account_deleted", .deletedAccount),
        ]
        for (suberror, meaning) in expected {
            let found = RefusalMeaning(error: "invalid_grant", suberror: suberror, issuer: issuer)
            #expect(found == (issuer == .other ? .userNeeded : meaning))
            // Beside any other error the suberror says nothing of the token.
            for error: UTF8Text in ["interaction_required", "invalid_client", ""] {
                #expect(RefusalMeaning(error: error, suberror: suberror, issuer: issuer) == .userNeeded)
            }
        }
    }

    @Test("trouble of the server's own says nothing of the token", arguments: IssuerKind.allCases)
    func trouble(issuer: IssuerKind) {
        for error: UTF8Text in ["server_error", " Temporarily_Unavailable"] {
            #expect(RefusalMeaning(error: error, suberror: "bad_token", issuer: issuer) == .serverTrouble)
        }
    }

    @Test("another token may help, but for wrong requests and devices that have to be managed")
    func anotherToken() {
        #expect(RefusalMeaning.mayHelpAnotherToken(error: "interaction_required", suberror: nil))
        #expect(RefusalMeaning.mayHelpAnotherToken(error: "invalid_grant", suberror: "consent_required"))
        #expect(!RefusalMeaning.mayHelpAnotherToken(error: "Invalid_Scope", suberror: nil))
        #expect(!RefusalMeaning.mayHelpAnotherToken(error: "invalid_client", suberror: nil))
        #expect(
            !RefusalMeaning.mayHelpAnotherToken(error: "unauthorized_client", suberror: "Protection_Policy_Required")
        )
    }

    @Test("client_mismatch is recognised in either member", arguments: IssuerKind.allCases)
    func mismatch(issuer: IssuerKind) {
        #expect(RefusalMeaning(error: "client_mismatch", suberror: nil, issuer: issuer) == .foreignFamily)
        #expect(RefusalMeaning(error: "invalid_grant", suberror: "client_mismatch", issuer: issuer) == .foreignFamily)
    }
}
