// SPDX-License-Identifier: Apache-2.0

import Testing
import UnifiedSchema

@Suite("Scopes")
struct ScopeSetTests {
    @Test("order and spelling are kept for writing")
    func text() {
        #expect(ScopeSet("User.Read  b A").text == "User.Read  b A")
        #expect(ScopeSet(["User.Read", "b"]).text == "User.Read b")
    }

    @Test("sets are equal whatever their order and the case of A-Z")
    func equality() {
        #expect(ScopeSet("User.Read mail") == ScopeSet("MAIL user.read mail"))
        #expect(ScopeSet("User.Read mail").hashValue == ScopeSet("MAIL user.read").hashValue)
        #expect(ScopeSet("É") != ScopeSet("é"))
        #expect(ScopeSet("a b").count == 2)
    }

    @Test(
        "OpenID scopes count for an intersection only among themselves, and offline_access never",
        arguments: [
            ("a b", "B c", true),
            ("a openid", "b openid", false),
            ("openid profile", "OPENID", true),
            ("openid", "openid a", false),
            ("a email", "b email", false),
            ("openid offline_access", "email offline_access", false),
            ("offline_access", "OPENID", true),
            ("", "a", false),
        ]
    )
    func intersects(one: String, other: String, expected: Bool) {
        #expect(ScopeSet(UTF8Text(one)).intersects(ScopeSet(UTF8Text(other))) == expected)
        #expect(ScopeSet(UTF8Text(other)).intersects(ScopeSet(UTF8Text(one))) == expected)
    }

    @Test("a hundred scopes are distinguished")
    func many() {
        let all = ScopeSet((0..<100).map { "scope\($0)" })
        #expect(all.count == 100)
        #expect(!ScopeSet("scope100").isSubset(of: all))
        #expect(ScopeSet((20..<70).map { "Scope\($0)" }).isSubset(of: all))
        #expect(!all.isSubset(of: ScopeSet((20..<70).map { "Scope\($0)" })))
    }
}
