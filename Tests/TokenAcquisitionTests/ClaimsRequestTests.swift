// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TokenAcquisition

@Suite struct ClaimsRequestTests {
    static let json = #"{"access_token":{"nbf":{"essential":true,"value":"1604106651"}}}"#
    static let base64 = "eyJhY2Nlc3NfdG9rZW4iOnsibmJmIjp7ImVzc2VudGlhbCI6dHJ1ZSwidmFsdWUiOiIxNjA0MTA2NjUxIn19fQ=="

    @Test(arguments: [
        #"Bearer realm="", authorization_uri="https://login.example/", error="insufficient_claims", claims="\#(base64)""#,
        #"bearer error="insufficient_claims",claims=\#(base64)"#,
        #"PoP nonce="x", Bearer error="insufficient_claims", claims="\#(base64)", Basic realm="x""#,
        #"Negotiate dG9rZW4=, Bearer claims = "\#(base64)" , error = insufficient_claims"#,
        #"Bearer error="insufficient_claims", claims="{\"access_token\":{\"nbf\":{\"essential\":true,\"value\":\"1604106651\"}}}""#,
    ])
    func `claims are found in a challenge`(_ header: String) throws {
        #expect(try ClaimsRequest(wwwAuthenticate: header)?.json == Self.json)
    }

    @Test(arguments: [
        "", "Bearer", #"Bearer error="invalid_token""#, #"Bearer error="invalid_token", claims="\#(base64)""#,
        #"Bearer claims="\#(base64)""#, #"PoP error="insufficient_claims", claims="\#(base64)""#, "=", ",,,", "\"",
        #"Basic realm="Bearer error=insufficient_claims, claims=x""#,
    ])
    func `a header without claims asks for none`(_ header: String) throws {
        #expect(try ClaimsRequest(wwwAuthenticate: header) == nil)
    }

    @Test(arguments: ["%%%", "e30", "W10=", "{", "{}x", "eA", ""])
    func `claims that are no JSON object are refused unless they are an empty one`(_ claims: String) {
        let header = #"Bearer error="insufficient_claims", claims="\#(claims)""#
        if claims == "e30" {
            #expect(throws: Never.self) { try ClaimsRequest(wwwAuthenticate: header) }
        } else {
            let error = #expect(throws: AcquisitionError.self) { try ClaimsRequest(wwwAuthenticate: header) }
            #expect(error?.code == .requestRejected)
        }
    }

    @Test(
        arguments: [
            (nil, [], nil),
            (json, [], json),
            (nil, ["cp1"], #"{"access_token":{"xms_cc":{"values":["cp1"]}}}"#),
            (
                json, ["cp1", "llt"],
                #"{"access_token":{"nbf":{"essential":true,"value":"1604106651"},"xms_cc":{"values":["cp1","llt"]}}}"#
            ),
            (
                #"{"id_token":{"auth_time":null},"access_token":{"xms_cc":{"values":["x"]}}}"#, ["cp1"],
                #"{"id_token":{"auth_time":null},"access_token":{"xms_cc":{"values":["cp1"]}}}"#
            ),
            (#"{"access_token":null}"#, ["cp1"], #"{"access_token":{"xms_cc":{"values":["cp1"]}}}"#),
        ] as [(String?, [String], String?)]
    )
    func `capabilities are merged with a challenge`(_ claims: String?, _ capabilities: [String], _ merged: String?)
        throws
    {
        let request = try claims.map { try ClaimsRequest(json: $0) }
        #expect(ClaimsRequest.merged(request, capabilities: capabilities) == merged)
    }

    @Test func `a correlation id is a random UUID`() throws {
        let one = CorrelationID()
        #expect(one != CorrelationID())
        #expect(CorrelationID(one.description) == one)
        #expect(CorrelationID("x") == nil)
        let text = Array(one.description)
        #expect(text[14] == "4" && "89ab".contains(text[19]))
    }
}
