// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import Testing
import UnifiedSchema

@Suite("Which scopes a request is served by")
struct ScopeRuleTests {
    @Test(
        "those of resources: all that are asked for, in any order and case",
        arguments: [
            ("a b ", "A B", true), ("b a ", "a b", true), ("a ", "b a c", true), ("a ", "ab", false),
            ("a c ", "a b", false),
            ("a ", "", false), ("", "a", false), ("https://x//.default ", "https://x//.default", true),
            ("https://x//.default ", "https://x/.default", false),
            ("https://x/.default ", "https://x/user.read", false),
        ]
    )
    func resources(wanted: String, granted: String, isServed: Bool) {
        let answer = ScopeRule.areGranted(wanted.rawSpan, in: granted.rawSpan)
        #expect(answer == isServed)
    }

    @Test(
        "those of OpenID alone: a token that came of a sign-in, or is for no resource",
        arguments: [
            ("a OpenID", true), ("a profile", true), ("email a", true), ("a phone", false), ("a offline_access", false),
            ("phone Address offline_access", true), ("a", false), (" ", false), ("openidx", false),
        ]
    )
    func signIn(granted: String, isServed: Bool) {
        let answer = ScopeRule.servesSignIn(granted.rawSpan)
        #expect(answer == isServed)
    }

    @Test(
        "those of one resource begin with its name and a slash",
        arguments: [
            ("https://r/a https://r/b ", "https://r", true), ("https://r/a ", "https://r//", true),
            ("https://r/a https://s/b ", "https://r", false), ("https://r ", "https://r", false), ("", "r", false),
            ("/a ", "/", false),
        ]
    )
    func resource(wanted: String, name: String, isOfResource: Bool) {
        let answer = ScopeRule.belong(wanted.rawSpan, to: name.rawSpan)
        #expect(answer == isOfResource)
    }

    @Test(
        "OpenID has six, in any case",
        arguments: ["openid", "Profile", "EMAIL", "address", "phone", "offline_access"]
    )
    func openID(name: String) {
        let found = [name, name + "x", String(name.dropLast())].map { OpenIDScope($0.rawSpan) != nil }
        #expect(found == [true, false, false])
        #expect(OpenIDScope.allCases.count == 6)
    }
}
