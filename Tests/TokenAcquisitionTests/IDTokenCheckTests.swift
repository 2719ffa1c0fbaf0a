// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TokenCaching

@testable import TokenAcquisition

@Suite struct IDTokenCheckTests {
    static let now: Int64 = 1_700_000_000
    static let tenant = Contoso.tenant
    static let personal = "9188040d-6c67-4c5b-b112-36a304b66dad"
    static let host = "https://login.microsoftonline.com"

    /// Changes to claims that are good; nil removes one.
    static let vectors: [(String, [String: (any Sendable)?], AcquisitionError.Code?)] = [
        ("good", [:], nil),
        ("no issuer", ["iss": nil], .idTokenRejected),
        ("another issuer", ["iss": "https://idp.example/s/2"], .issuerRejected),
        ("issuer with a slash more", ["iss": "https://idp.example/s/1/"], .issuerRejected),
        ("no subject", ["sub": nil], .idTokenRejected),
        ("empty subject", ["sub": ""], .idTokenRejected),
        ("no audience", ["aud": nil], .idTokenRejected),
        ("another audience", ["aud": "other"], .idTokenRejected),
        ("audience in another case", ["aud": "CLIENT"], .idTokenRejected),
        ("audience as a number", ["aud": 7], .idTokenRejected),
        ("audience in a list", ["aud": ["client"]], nil),
        ("several audiences without azp", ["aud": ["client", "api"]], .idTokenRejected),
        ("several audiences with azp", ["aud": ["client", "api"], "azp": "client"], nil),
        ("azp of another client", ["azp": "api"], .idTokenRejected),
        ("no expiry", ["exp": nil], .idTokenRejected),
        ("expired within the skew", ["exp": now - 299], nil),
        ("expired", ["exp": now - 300], .idTokenRejected),
        ("issued within the skew", ["iat": now + 300], nil),
        ("issued in the future", ["iat": now + 301], .idTokenRejected),
        ("not valid yet", ["nbf": now + 301], .idTokenRejected),
        ("no times of issue", ["iat": nil], nil),
        ("another nonce", ["nonce": "m"], .idTokenRejected),
        ("no nonce", ["nonce": nil], .idTokenRejected),
        ("another access token", ["at_hash": "AAAAAAAAAAAAAAAAAAAAAA"], .idTokenRejected),
    ]

    @Test(arguments: vectors.indices) func `the claims of an issuer are checked`(_ index: Int) throws {
        let (name, changes, expected) = Self.vectors[index]
        var claims: [String: Any] = [
            "iss": "https://idp.example/s/1", "sub": "ada", "aud": "client", "exp": Self.now + 60, "iat": Self.now,
            "nonce": "n",
        ]
        for (name, value) in changes { claims[name] = value }
        let check = IDTokenCheck(
            authority: try .openIDConnect(issuer: "https://idp.example/s/1"),
            issuer: "https://idp.example/s/1",
            clientID: "client",
            nonce: "n",
            now: Timestamp(secondsSince1970: Self.now)
        )
        #expect(code(check, claims) == expected, "\(name)")
    }

    @Test func `only Google's issuer may lack its scheme`() throws {
        for host in ["accounts.google.com", "idp.example"] {
            let check = IDTokenCheck(
                authority: try .openIDConnect(issuer: "https://\(host)"),
                issuer: "https://\(host)",
                clientID: "client"
            )
            let claims = ["sub": "ada", "aud": "client"]
            #expect(code(check, claims.merging(["iss": "https://\(host)"]) { $1 }) == nil)
            let isGoogle = host == "accounts.google.com"
            #expect(code(check, claims.merging(["iss": host]) { $1 }) == (isGoogle ? nil : .issuerRejected))
            #expect(code(check, claims.merging(["iss": "http://\(host)"]) { $1 }) == .issuerRejected)
        }
    }

    /// Authority's tenant, issuer and tenant of the token, expected error.
    static let entra: [(String, String, String?, AcquisitionError.Code?)] = [
        ("common", "\(host)/\(tenant)/v2.0", tenant, nil),
        ("common", "\(host)/\(personal)/v2.0", personal, nil),
        ("common", "https://sts.windows.net/\(tenant)/", tenant, nil),
        ("common", "\(host)/{tenantid}/v2.0", tenant, .issuerRejected),
        ("common", "\(host)/\(personal)/v2.0", tenant, .issuerRejected),
        ("common", "\(host)/\(tenant)/v2.0", nil, .issuerRejected),
        ("common", "\(host)/x/v2.0", "x", .issuerRejected),
        ("organizations", "\(host)/\(tenant)/v2.0", tenant, nil),
        ("organizations", "\(host)/\(personal)/v2.0", personal, .issuerRejected),
        ("common", "https://evil.example/\(tenant)/v2.0", tenant, .issuerRejected),
        ("common", "https://sts.windows.net/\(personal)/", tenant, .issuerRejected),
    ]

    @Test(arguments: entra) func `the tenant of a token has to be in its issuer, and be one that was asked for`(
        _ asked: String,
        _ issuer: String,
        _ tenant: String?,
        _ expected: AcquisitionError.Code?
    ) throws {
        var claims: [String: Any] = ["iss": issuer, "sub": "s", "aud": "CLIENT"]
        claims["tid"] = tenant
        let check = IDTokenCheck(
            authority: try .entra(tenant: asked),
            issuer: "\(Self.host)/{tenantid}/v2.0",
            clientID: "client"
        )
        #expect(code(check, claims) == expected)
    }

    @Test(arguments: ["", "a", "a.b", "a.b.c.d", "!.!.!", "e30.W10.x", "e30..x", ".e30.", "W10.e30.x"])
    func `what is no id token is refused`(_ token: String) throws {
        let check = IDTokenCheck(authority: .common, issuer: "x", clientID: "client")
        let body = Array(json(["id_token": token]).utf8)
        if token.isEmpty {
            try check.check(response: body)
        } else {
            #expect(throws: AcquisitionError.self) { try check.check(response: body) }
        }
    }

    @Test func `at_hash is the left half of the access token's SHA-256`() throws {
        // The example of OpenID Connect Core, appendix A.3.
        let token = "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y"
        let claims: [String: Any] = [
            "iss": "https://idp.example", "sub": "s", "aud": "client", "at_hash": "77QmUPtjPfzWtF2AnpK9RQ",
        ]
        let check = IDTokenCheck(
            authority: try .openIDConnect(issuer: "https://idp.example"),
            issuer: "https://idp.example",
            clientID: "client"
        )
        #expect(code(check, claims, accessToken: token) == nil)
        #expect(code(check, claims, accessToken: token + "x") == .idTokenRejected)
        // An empty text is no access token.
        #expect(code(check, claims, accessToken: "") == nil)
    }

    private func code(
        _ check: IDTokenCheck,
        _ claims: [String: Any],
        accessToken: String = "at"
    ) -> AcquisitionError.Code? {
        let body = json(["access_token": accessToken, "id_token": idToken(claims)])
        do throws(AcquisitionError) {
            try check.check(response: Array(body.utf8))
            return nil
        } catch {
            return error.code
        }
    }
}
