import RecordStorage
import Testing
import UnifiedSchema

@testable import TokenCaching

@Suite("Notes of declined scopes", .timeLimit(.minutes(10)))
struct DeclinedScopesTests: RefusalScene {
    let group: TestGroup
    let cache: TokenCache

    init() throws {
        group = try TestGroup()
        cache = try group.cache()
    }

    @Test("what was declined is not asked for again as long as the token with the rest is good")
    func declined() throws {
        try signIn()
        let both = MatchingCase.query("user.read", "mail.send")
        #expect(try renew(both, renewed("new")) == "declined mail.send with new")
        #expect(try unasked(both) == "declined mail.send with new")
        group.clock.advance(by: 3299)
        #expect(try unasked(both) == "declined mail.send with new")
        group.clock.advance(by: 1)
        #expect(try renew(both, renewed("newer")) == "declined mail.send with newer")
    }

    @Test("where the token with the rest is gone, the server is asked")
    func declinedAndGone() throws {
        try signIn()
        let both = MatchingCase.query("user.read", "mail.send")
        #expect(try renew(both, renewed("new")) == "declined mail.send with new")
        try TestResponse.signIn(accessToken: "other", refreshToken: "rt3").renewal.save(in: cache)
        #expect(try renew(both, renewed("newer")) == "declined mail.send with newer")
    }

    @Test("for an application, too")
    func declinedApplication() throws {
        let query = TokenQuery(
            applicationScopes: ["a/.default"],
            tenant: "utid",
            environment: "login.microsoftonline.com"
        )
        let body = Array(#"{"token_type":"Bearer","expires_in":3600,"access_token":"x","scope":"b"}"#.utf8)
        for count in 0..<3 {
            let decision = try group.cache().acquireSynchronously(query) {
                if count > 0 { Issue.record("the server was asked") }
                return .response(try TokenResponse(json: body))
            }
            #expect(try decision.summary() == "declined a/.default with x")
        }
    }
}
