// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import SeededRandom
import Testing
import UnifiedSchema

@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("The scopes of a request")
struct RequestedScopesTests {
    @Test("are folded, each once, and those of OpenID count only where there is nothing else")
    func scopes() {
        func counted(_ scopes: [String]) -> [String] {
            var text = QueryText(capacity: 0)
            return Self.folded(scopes, in: &text).strings(text)
        }
        #expect(counted(["User.Read", " Mail.Read\tuser.read ", "OpenID"]) == ["user.read", "mail.read"])
        #expect(counted(["User.Read", "email", "address", "phone"]) == ["user.read"])
        #expect(counted(["openid", "Profile", "offline_access"]) == ["openid", "profile"])
        #expect(counted([" Offline_Access "]) == ["openid"])
        #expect(counted(["", " \n"]).isEmpty)
    }

    @Test(
        "are granted in any order and case",
        arguments: [
            (["a", "b", "c"], "A B C", true), (["c", "b", "a"], "a b c", true), (["b", "b"], "a b", true),
            (["a", "d"], "a b c", false), (["a"], "", false),
            (["longer.scope"], "long Longer.Scope.x LONGER.SCOPE", true),
            (["longer.scope"], "longer.scopE1 longer.scop", false), (["[x]"], "{x}", false),
        ]
    )
    func granting(asked: [String], granted: String, isGranted: Bool) {
        var text = QueryText(capacity: 0)
        let scopes = Self.folded(asked, in: &text)
        let bytes = Array(granted.utf8)
        let answer = scopes.areGranted(in: bytes.rawSpan, text)
        #expect(answer == isGranted)
    }

    @Test(
        "are granted by a token that has those that count",
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
    func counting(granted: String, requested: String, expected: Bool) {
        var text = QueryText(capacity: 0)
        let scopes = Self.folded([requested], in: &text)
        let answer = scopes.areGranted(in: granted.rawSpan, text)
        #expect(answer == expected)
    }

    @Test("are granted exactly where the rule says so, word by word")
    func agreement() {
        var generator = SeededGenerator(stream: 10)
        let words = [
            "a", "B", "User.Read", "user.read", "openid", "OPENID", "profile", "Email", "address", "phone",
            "offline_access", "Offline_Access", "emailx", "openi", " ", "\t",
        ]
        func some(upTo count: Int) -> [String] {
            (0..<Int.random(in: 0...count, using: &generator)).map { _ in generator.pick(words) }
        }
        for _ in 1...20_000 {
            let (asked, granted) = (some(upTo: 3), some(upTo: 4).joined(separator: " "))
            var text = QueryText(capacity: 0)
            let scopes = Self.folded(asked, in: &text)
            let (wanted, given) = (Self.words(asked.joined(separator: " ")), Self.words(granted))
            #expect(scopes.isEmpty == wanted.isEmpty)
            let answer = scopes.areGranted(in: granted.rawSpan, text)
            #expect(answer == Self.serves(given, wanted), "\(asked) of \(granted)")
        }
    }

    /// The requested scopes, folded as a query folds them.
    private static func folded(_ scopes: [String], in text: inout QueryText) -> RequestedScopes {
        let requested = RequestedScopes(scopes, in: &text)
        text.fold(from: 0)
        return requested
    }

    private static let openID: Set = ["openid", "profile", "email", "address", "phone", "offline_access"]

    private static func words(_ text: String) -> Set<String> {
        Set(text.lowercased().split(whereSeparator: \.isWhitespace).map(String.init))
    }

    /// Whether a token with `granted` serves a request for `wanted`, said plainly.
    private static func serves(_ granted: Set<String>, _ wanted: Set<String>) -> Bool {
        if granted.isEmpty || wanted.isEmpty { return false }
        if !wanted.isSubset(of: openID) { return wanted.allSatisfy { openID.contains($0) || granted.contains($0) } }
        return !granted.isDisjoint(with: ["openid", "profile", "email"]) || granted.isSubset(of: openID)
    }

    @Test("are granted exactly where each of them is among the granted words")
    func randomScopes() {
        var generator = SeededGenerator(stream: 9)
        func some(_ names: [String], upTo count: Int) -> [String] {
            (0..<Int.random(in: 1...count, using: &generator)).map { _ in generator.pick(names) }
        }
        for _ in 1...5_000 {
            let asked = some(["a", "B", "ab", "Long.Scope", "long.scope.x"], upTo: 4)
            let granted = some(["A", "b", "aB", "long.scope", "LONG.scope.X", "", "\t"], upTo: 6)
            var text = QueryText(capacity: 0)
            let scopes = Self.folded(asked, in: &text)
            let bytes = Array(granted.joined(separator: " ").utf8)
            let answer = scopes.areGranted(in: bytes.rawSpan, text)
            let words = Set(granted.map { $0.lowercased() })
            #expect(answer == asked.allSatisfy { words.contains($0.lowercased()) }, "\(asked) \(granted)")
        }
    }
}
