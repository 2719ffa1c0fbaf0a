// SPDX-License-Identifier: Apache-2.0

import Testing
import UnifiedSchema

@testable import TokenCaching
@testable import TokenCachingTestSupport

/// Processes of several versions share the notes of a group, so the keys are part of the format.
@Suite("Keys of notes of refusals")
struct RefusalKeyTests {
    private static let server = TokenServer(host: "login.example", tenant: "utid")

    private static var asked: AskedToken {
        var options = TokenQueryOptions()
        options.isolation = Isolation(
            claims: "claims",
            extendedKey: "extended",
            application: "application",
            assertionHash: "assertion"
        )
        let terms = PreparedQuery(
            .homeAccountID,
            account: "uid.utid",
            scopes: ["b", "a"],
            tenant: nil,
            environment: nil,
            options: options
        )
        return AskedToken(terms, client: "mail")
    }

    /// A byte for the sort of key, then each text behind its length in four bytes.
    private static func bytes(_ sort: UInt8, _ texts: [String]) -> [UInt8] {
        [sort] + texts.flatMap { [UInt8($0.utf8.count), 0, 0, 0] + $0.utf8 }
    }

    private static let details = ["", "", "", "claims", "extended", "application", "assertion", "a", "b"]

    @Test("of a request: the client, the server, the details of the token, the sorted scopes, and the refused token")
    func request() {
        let request = AskedRequest(token: Self.asked, server: Self.server)
        let parts = ["mail", "login.example", "utid"] + Self.details
        #expect(RefusalKey.request(request, with: 12).bytes == Self.bytes(1, parts + ["12"]))
        #expect(RefusalKey.request(request).bytes == Self.bytes(1, parts))
    }

    @Test("of scopes: the same with the issuer")
    func scopes() {
        let key = RefusalKey.scopes(Self.asked, by: Self.server)
        #expect(key.bytes == Self.bytes(2, ["mail", "login.example", "utid"] + Self.details))
    }

    @Test("of a refresh token: the client and the number of the lease")
    func token() {
        #expect(RefusalKey.token(12, client: "mail").bytes == Self.bytes(3, ["mail", "12"]))
    }

    @Test("of a server in trouble: the request, whichever token it was sent with")
    func trouble() {
        let key = RefusalKey.trouble(AskedRequest(token: Self.asked, server: Self.server))
        #expect(key.bytes == Self.bytes(5, ["mail", "login.example", "utid"] + Self.details))
    }

    @Test("of a server that was asked for a token of the application itself: the client, the host and the tenant")
    func server() {
        #expect(
            RefusalKey.server(Self.server, client: "mail").bytes == Self.bytes(4, ["mail", "login.example", "utid"])
        )
    }
}
