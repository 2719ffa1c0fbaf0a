// SPDX-License-Identifier: Apache-2.0

import Testing
import TokenCaching

@testable import TokenAcquisition

/// What a token endpoint answers is checked before anything of it is kept.
@Suite struct TokenResponseTests {
    /// Changes to a good response, and to the claims of its id token; nil removes a member. Nil for the code if the
    /// response is good.
    static let responses: [(String, [String: (any Sendable)?], [String: (any Sendable)?], AcquisitionError.Code?)] = [
        ("a good response", [:], [:], nil),
        ("spaces in a token", ["access_token": "a b"], [:], nil),
        ("a line feed in the access token", ["access_token": "x\"\noutput = \"/tmp/x"], [:], .responseRejected),
        ("a carriage return", ["access_token": "x\r"], [:], .responseRejected),
        ("an escape character", ["access_token": "x\u{1b}[2J"], [:], .responseRejected),
        ("the null character", ["access_token": "x\u{0}y"], [:], .responseRejected),
        ("DEL", ["access_token": "x\u{7f}"], [:], .responseRejected),
        ("letters that are not ASCII", ["access_token": "tökenökenöken"], [:], .responseRejected),
        ("an access token that is a number", ["access_token": 7], [:], .responseRejected),
        ("an error beside tokens", ["error": "invalid_grant"], [:], .responseRejected),
        ("a type in another case", ["token_type": "bEARER"], [:], nil),
        ("no type", ["token_type": nil], [:], nil),
        ("another type", ["token_type": "DPoP"], [:], .responseRejected),
        ("a type of RFC 8693", ["token_type": "N_A"], [:], .responseRejected),
        ("a type that is a number", ["token_type": 1], [:], .responseRejected),
        ("an empty type", ["token_type": ""], [:], .responseRejected),
        ("no subject", [:], ["sub": nil], .idTokenRejected),
        ("an empty subject", [:], ["sub": ""], .idTokenRejected),
        ("a subject that is a number", [:], ["sub": 7], .idTokenRejected),
        ("no issuer", [:], ["iss": nil], .idTokenRejected),
        ("an issuer that is a number", [:], ["iss": 7], .idTokenRejected),
        ("no time of issue", [:], ["iat": nil], .idTokenRejected),
        ("a subject of 255 characters", [:], ["sub": String(repeating: "s", count: 255)], nil),
        ("a longer subject", [:], ["sub": String(repeating: "s", count: 256)], .idTokenRejected),
        ("a subject with the null character", [:], ["sub": "ada\u{0}"], .idTokenRejected),
        ("a subject that ends with a space", [:], ["sub": "ada "], .idTokenRejected),
        ("a subject that begins with a tab", [:], ["sub": "\tada"], .idTokenRejected),
        ("an id token of two parts", ["id_token": "e30.e30"], [:], .idTokenRejected),
        ("an unsigned id token", ["id_token": unsigned("none")], [:], .idTokenRejected),
        ("an unsigned id token in another case", ["id_token": unsigned("NoNe")], [:], .idTokenRejected),
    ]

    private static func unsigned(_ algorithm: String) -> String {
        let now: Int64 = 1_700_000_000
        return idToken(
            ["iss": Fabrikam.issuer, "aud": Fabrikam.clientID, "sub": "ada", "iat": now, "exp": now + 9000],
            algorithm: algorithm
        )
    }

    @Test(arguments: responses.indices) func `a sign-in keeps a good response, and nothing of another`(
        _ index: Int
    ) async throws {
        let (name, changes, claims, code) = Self.responses[index]
        let fabrikam = try Fabrikam()
        let response = fabrikam.tokens("1", changes, claims: claims)
        if let code {
            let error = await #expect(throws: AcquisitionError.self, "\(name)") { try await fabrikam.signIn(response) }
            #expect(error?.code == code, "\(name)")
            #expect(
                try await fabrikam.cache.accounts(matching: AccountFilter(includesSignedOut: true)).isEmpty,
                "\(name)"
            )
        } else {
            #expect(try await fabrikam.signIn(response).source == .deviceCode, "\(name)")
        }
    }

    @Test(arguments: responses.indices) func `a renewal keeps the next refresh token even of a bad response`(
        _ index: Int
    ) async throws {
        let (name, changes, claims, code) = Self.responses[index]
        // An error is no response with tokens, whatever is beside it.
        guard let code, changes["error"] == nil else { return }
        let fabrikam = try Fabrikam()
        let account = try await fabrikam.account(granted: nil)
        fabrikam.clock.advance(by: 4000)
        fabrikam.server.answer(fabrikam.tokens("2", changes, claims: claims))
        let error = await #expect(throws: AcquisitionError.self, "\(name)") { try await fabrikam.silent(account) }
        #expect(error?.code == code && error?.correlationID != nil, "\(name)")
        fabrikam.server.answer(fabrikam.tokens("3"))
        #expect(try await fabrikam.silent(account).accessToken.secretString == "at-3", "\(name)")
        #expect(fabrikam.server.posts.last?.form["refresh_token"] == "rt-2", "\(name)")
    }

    @Test func `a refresh token that is none is not kept`() async throws {
        let fabrikam = try Fabrikam()
        let account = try await fabrikam.account(granted: nil)
        fabrikam.clock.advance(by: 4000)
        fabrikam.server.answer(fabrikam.tokens("2", ["refresh_token": "x\ny"]))
        let error = await #expect(throws: AcquisitionError.self) { try await fabrikam.silent(account) }
        #expect(error?.code == .responseRejected)
        fabrikam.server.answer(fabrikam.tokens("3"))
        _ = try await fabrikam.silent(account)
        #expect(fabrikam.server.posts.last?.form["refresh_token"] == "rt-1")
    }

    @Test(arguments: [("aud", "another"), ("azp", "another"), ("at_hash", "AAAAAAAAAAAAAAAAAAAAAA")])
    func `a token for another application leaves nothing behind, and the refresh token is not sent again`(
        _ claim: String,
        _ value: String
    ) async throws {
        let fabrikam = try Fabrikam()
        let account = try await fabrikam.account(granted: nil)
        fabrikam.clock.advance(by: 4000)
        fabrikam.server.answer(fabrikam.tokens("2", claims: [claim: value]))
        for code in [AcquisitionError.Code.idTokenRejected, .accountMismatch] {
            let error = await #expect(throws: AcquisitionError.self) { try await fabrikam.silent(account) }
            #expect(error?.code == code)
        }
        #expect(fabrikam.server.posts.filter { $0.form["refresh_token"] != nil }.count == 1)
        #expect(try await fabrikam.cache.accounts(matching: .signedIn).map(\.id) == [account.id])
    }

    @Test func `servers are asked not to compress their responses`() async throws {
        let fabrikam = try Fabrikam()
        _ = try await fabrikam.account(granted: nil)
        #expect(fabrikam.server.posts.allSatisfy { $0.headers["accept-encoding"] == "identity" })
    }

    @Test func `tokens in a response that declares another type of content are tokens`() async throws {
        let fabrikam = try Fabrikam()
        let account = try await fabrikam.account(granted: nil)
        fabrikam.clock.advance(by: 4000)
        fabrikam.server.answer(fabrikam.tokens("2"), headers: ["Content-Type": "text/plain"])
        #expect(try await fabrikam.silent(account).accessToken.secretString == "at-2")
    }
}
