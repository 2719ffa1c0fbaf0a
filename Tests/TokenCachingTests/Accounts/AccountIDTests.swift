// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Ids of accounts")
struct AccountIDTests {
    @Test(
        "are equal if they differ in the case of A-Z and in white space at the ends, and in nothing else",
        arguments: [
            ("uid.utid", "UID.utid", true), (" uid.utid\n", "uid.utid", true), ("uid.utid", "uid.utid2", false),
            ("m\u{FC}ller", "M\u{FC}LLER", true), ("m\u{FC}ller", "m\u{DC}ller", false),
            ("\u{E9}", "e\u{301}", false), ("", " ", true),
        ]
    )
    func equality(one: String, other: String, areEqual: Bool) {
        let (one, other) = (Account.ID(one), Account.ID(other))
        #expect((one == other) == areEqual)
        #expect((one != other) == !areEqual)
        #expect((Set([one, other]).count == 1) == areEqual)
    }

    @Test("keep their text, also encoded")
    func text() throws {
        let id: Account.ID = Account.ID("Uid.\(1).uTid")
        #expect(id.text == "Uid.1.uTid")
        let json = try JSONEncoder().encode([id])
        #expect(String(decoding: json, as: UTF8.self) == #"["Uid.1.uTid"]"#)
        #expect(try JSONDecoder().decode([Account.ID].self, from: json).map(\.text) == ["Uid.1.uTid"])
    }

    @Test("of accounts and of tokens are the same ids, however they were spelled")
    func everywhere() throws {
        let group = try TestGroup()
        let cache = try group.cache()
        let account = try #require(
            try TestResponse.signIn(clientInfo: ["uid": "UID", "utid": "utid"]).save(in: cache)
        )
        #expect(account.id == TestGroup.accountID && account.hasHomeAccountID)
        guard case .valid(let token) = try cache.token(for: MatchingCase.query("user.read")) else { throw Unexpected() }
        #expect(token.accountID == account.id)
        #expect(try cache.idToken(for: account)?.accountID == account.id)
        #expect(account.tenantProfiles.map(\.accountID) == [account.id])
    }
}

@Suite("Accounts are values")
struct AccountValueTests {
    @Test("which keep nothing of the cache that listed or saved them")
    func independence() throws {
        let group = try TestGroup()
        weak var engine: Engine?
        func accounts() throws -> [Account] {
            let cache = try group.cache()
            engine = cache.engine
            let saved = try #require(try TestResponse.signIn().save(in: cache))
            return try cache.accounts() + [saved]
        }
        let kept = try accounts()
        #expect(engine == nil)
        #expect(kept.count == 2 && kept[0] == kept[1])
    }
}
