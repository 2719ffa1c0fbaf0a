// SPDX-License-Identifier: Apache-2.0

import Testing
import TokenCaching

@testable import TokenCachingTestSupport

@Suite("Answers of the token endpoint to a renewal", .timeLimit(.minutes(10)))
struct RenewalAnswerTests {
    private static let refusal = #"{"error":"invalid_grant","suberror":"bad_token","error_description":"x"}"#

    private func outcome(_ status: Int, _ body: String) throws -> String {
        try RenewalOutcome.httpResponse(status: status, body: Array(body.utf8)).description
    }

    @Test("tokens come with 200 only")
    func tokens() throws {
        #expect(try outcome(200, #"{"access_token":"a","token_type":"Bearer","expires_in":3600}"#) == "response")
        #expect(try outcome(503, #"{"access_token":"a"}"#) == "unavailable")
    }

    @Test("400 to 499 with an error are refusals", arguments: [400, 401, 403, 404, 409, 422, 499])
    func refusals(status: Int) throws {
        #expect(try outcome(status, Self.refusal) == "refused")
        for body in ["<html>", "[]", "{}", #"{"error":7}"#] {
            #expect(try outcome(status, body) == "unavailable", "\(body)")
        }
        // Some servers refuse with 400 and nothing else.
        #expect(try outcome(status, "") == (status == 400 ? "refused" : "unavailable"))
    }

    @Test(
        "an error that says nothing about the refresh token does not remove it",
        arguments: [0, 302, 399, 408, 429, 500, 502, 503]
    )
    func unavailable(status: Int) throws {
        #expect(try outcome(status, Self.refusal) == "unavailable")
    }

    @Test("the server's error codes are kept, but not its error_description")
    func said() {
        let body = """
            {"error":"invalid_grant","suberror":"basic_action","error_description":"Ann must prove who she is",\
            "error_codes":[50076,"x",1.5,-7],"correlation_id":"c-1","trace_id":"t-1","claims":"{\\"access_token\\":{}}"}
            """
        let response = TokenErrorResponse(status: 400, body: Array(body.utf8), retryAfter: " 30 ")
        #expect(response.error == "invalid_grant" && response.suberror == "basic_action")
        #expect(response.errorCodes == [50076, -7])
        #expect(response.correlationID == "c-1" && response.traceID == "t-1")
        #expect(response.claims == #"{"access_token":{}}"#)
        #expect(response.status == 400 && response.retryAfter == .seconds(30))
        #expect("\(response)" == "TokenErrorResponse(invalid_grant, basic_action, status 400)")
        var text = ""
        dump(response, to: &text)
        #expect(!text.contains("Ann") && !text.contains("c-1") && !text.contains("access_token"))
    }

    @Test(
        "members of another form count as absent",
        arguments: [
            #"{"error":7,"suberror":[],"error_codes":"x","claims":{},"trace_id":true}"#, "", "<html>", "[1]",
            #"{"error":"a\u0000b","suberror":"\u00e9","correlation_id":"a b","claims":""}"#,
            #"{"error":"\#(String(repeating: "x", count: 300))"}"#,
            #"{"claims":"\#(String(repeating: "x", count: 70_000))","error":"invalid_grant"}"#,
        ]
    )
    func absurd(body: String) {
        var empty = TokenErrorResponse(error: "")
        empty.status = 400
        #expect(TokenErrorResponse(status: 400, body: Array(body.utf8)) == empty)
    }

    @Test(
        "Retry-After is a number of seconds or a date",
        arguments: [
            ("0", 0), ("120", 120), ("99999999999999999999", .max), ("Sun, 06 Nov 1994 08:49:37 GMT", 37),
            ("Sun, 06 Nov 1994 08:48:37 GMT", 0), ("Tue, 29 Feb 2000 00:00:00 GMT", 167_670_660), ("-1", nil),
            ("1.5", nil),
            ("", nil), ("Sunday, 06-Nov-94 08:49:37 GMT", nil), ("Sun, 32 Nov 1994 08:49:37 GMT", nil), ("soon", nil),
        ] as [(String, Int64?)]
    )
    func retryAfter(header: String, seconds: Int64?) {
        let now = Timestamp(secondsSince1970: 784_111_740)
        let response = TokenErrorResponse(status: 503, body: [], retryAfter: header, date: now)
        #expect(response.retryAfter == seconds.map { .seconds($0) })
    }

    @Test(
        "status 200 without tokens, or with an error, is an error of the responder, not a refusal",
        arguments: ["<html>", "{}", refusal, #"{"error":"invalid_grant","access_token":"x","refresh_token":"y"}"#]
    )
    func broken(body: String) {
        let error = #expect(throws: TokenCacheError.self) {
            _ = try RenewalOutcome.httpResponse(status: 200, body: Array(body.utf8))
        }
        #expect(error?.code == .invalidResponse)
    }
}
