import Testing
import TokenCaching

@Suite("What an answer of the token endpoint means for a renewal", .timeLimit(.minutes(10)))
struct RenewalAnswerTests {
    private static let refusal = #"{"error":"invalid_grant","suberror":"bad_token","error_description":"x"}"#

    private func outcome(_ status: Int, _ body: String) throws -> String {
        try RenewalOutcome.answer(status: status, body: Array(body.utf8)).description
    }

    @Test("tokens come with 200 only")
    func tokens() throws {
        #expect(try outcome(200, #"{"access_token":"a","token_type":"Bearer","expires_in":3600}"#) == "response")
        #expect(try outcome(503, #"{"access_token":"a"}"#) == "unavailable")
    }

    @Test("400 and 401 refuse where they say what", arguments: [400, 401])
    func refusals(status: Int) throws {
        #expect(try outcome(status, Self.refusal) == "refused")
        for body in ["", "<html>", "[]", "{}", #"{"error":7}"#] {
            #expect(try outcome(status, body) == "unavailable", "\(body)")
        }
    }

    @Test("what tells nothing of the refresh token leaves it alone", arguments: [0, 302, 403, 404, 429, 500, 502, 503])
    func unavailable(status: Int) throws {
        #expect(try outcome(status, Self.refusal) == "unavailable")
    }

    @Test("200 without tokens is an error of whoever answers, not a refusal")
    func broken() {
        let error = #expect(throws: TokenCacheError.self) {
            _ = try RenewalOutcome.answer(status: 200, body: Array("<html>".utf8))
        }
        #expect(error?.code == .invalidResponse)
    }
}
