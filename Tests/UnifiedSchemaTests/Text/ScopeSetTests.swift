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
        "a token serves a request whose scopes it has",
        arguments: [
            ("user.read mail.send", "User.Read", true),
            ("user.read", "user.read mail.send", false),
            ("user.read", "user.read openid profile offline_access", true),
            ("user.read", "openid", false),
            ("openid user.read", "OpenID", true),
            ("email user.read", "openid profile offline_access", true),
            ("phone user.read", "phone", false),
            ("phone", "openid", true),
            ("openid profile email", "offline_access", true),
            ("user.read", "offline_access", false),
            ("openid", "offline_access user.read", false),
            ("user.read openid", "user.read email address phone offline_access", true),
            ("", "openid", false),
            ("user.read", "", false),
            ("user.read", "  ", false),
            ("https://contoso.com//.default", "https://contoso.com//.default", true),
            ("https://contoso.com//.default", "https://contoso.com/.default", false),
            ("https://contoso.com/user.read", "https://contoso.com/.default", false),
            ("user.read email", "email", true),
        ]
    )
    func satisfies(granted: String, requested: String, expected: Bool) {
        #expect(ScopeSet(UTF8Text(granted)).satisfies(ScopeSet(UTF8Text(requested))) == expected)
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

    @Test("a set may hold nothing but OpenID scopes")
    func openIDOnly() {
        #expect(ScopeSet("openid Profile phone").isOpenIDOnly)
        #expect(!ScopeSet("openid a").isOpenIDOnly)
        #expect(!ScopeSet("").isOpenIDOnly)
    }

    @Test("a hundred scopes are told apart")
    func many() {
        let all = ScopeSet((0..<100).map { "scope\($0)" })
        for index in 0..<100 { #expect(all.contains(UTF8Text("SCOPE\(index)"))) }
        #expect(!all.contains("scope100"))
        #expect(ScopeSet((20..<70).map { "Scope\($0)" }).isSubset(of: all))
        #expect(!all.isSubset(of: ScopeSet((20..<70).map { "Scope\($0)" })))
    }
}
