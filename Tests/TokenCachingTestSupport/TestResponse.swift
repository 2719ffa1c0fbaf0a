// SPDX-License-Identifier: Apache-2.0

import Foundation

@testable import TokenCaching

/// The body of a token response, and the request that it answers.
struct TestResponse {
    var members: [String: Any]
    var request: TokenRequest

    /// What Entra ID sends for a sign-in with the scope openid.
    static func signIn(
        accessToken: String? = "at",
        refreshToken: String? = "rt",
        scope: String? = "User.Read openid profile",
        claims: [String: String]? = defaultClaims,
        clientInfo: [String: String]? = ["uid": "uid", "utid": "utid"],
        family: String? = nil,
        tenant: String = "common"
    ) -> TestResponse {
        var members: [String: Any] = ["token_type": "Bearer", "expires_in": 3600]
        members["access_token"] = accessToken
        members["refresh_token"] = refreshToken
        members["scope"] = scope
        members["id_token"] = claims.map { idToken($0) }
        members["client_info"] = clientInfo.map { base64URL($0) }
        members["foci"] = family
        return TestResponse(
            members: members,
            request: TokenRequest(
                environment: "login.microsoftonline.com",
                tenant: tenant,
                scopes: ["User.Read"],
                grant: .interactive
            )
        )
    }

    static let defaultClaims: [String: String] = [
        "tid": "utid", "oid": "uid", "sub": "subject", "preferred_username": "Ann@Contoso.com", "name": "Ann",
    ]

    static func idToken(_ claims: [String: Any]) -> String {
        base64URL(["alg": "none"]) + "." + base64URL(claims) + ".c2ln"
    }

    static func base64URL(_ object: [String: Any]) -> String {
        let data = (try? JSONSerialization.data(withJSONObject: object, options: [.sortedKeys])) ?? Data()
        return data.base64EncodedString().replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
    }

    func with(_ name: String, _ value: Any?) -> TestResponse {
        var copy = self
        copy.members[name] = value
        return copy
    }

    func asked(_ change: (inout TokenRequest) -> Void) -> TestResponse {
        var copy = self
        change(&copy.request)
        return copy
    }

    /// As a renewal of the test's account.
    var renewal: TestResponse {
        asked {
            $0.grant = .renewal
            $0.accountID = TestGroup.accountID
        }
    }

    var body: [UInt8] {
        Array(
            (try? JSONSerialization.data(withJSONObject: members, options: [.sortedKeys, .withoutEscapingSlashes]))
                ?? Data()
        )
    }

    /// What the closure of a renewal answers.
    var outcome: RenewalOutcome {
        get throws { .response(try TokenResponse(json: body)) }
    }

    @discardableResult
    func save(in cache: TokenCache) throws -> Account? { try saveAll(in: cache).account }

    func saveAll(in cache: TokenCache) throws -> SavedTokens {
        try cache.save(try TokenResponse(json: body), for: request)
    }
}
