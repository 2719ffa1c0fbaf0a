import ByteOperations
import SeededRandom
import Testing
import UnifiedSchema

@testable import TokenCaching

@Suite("The scopes of a request")
struct RequestedScopesTests {
    @Test("are folded, each once, and those of OpenID count only where there is nothing else")
    func scopes() {
        func counted(_ scopes: [String]) -> [String] {
            var text = QueryText(capacity: 0)
            return RequestedScopes(scopes, in: &text).strings(text)
        }
        #expect(counted(["User.Read", " Mail.Read\tuser.read ", "OpenID"]) == ["user.read", "mail.read"])
        #expect(counted(["User.Read", "email", "address", "phone"]) == ["user.read"])
        #expect(counted(["openid", "Profile", "offline_access"]) == ["openid", "profile"])
        #expect(counted([" Offline_Access "]) == ["openid"])
        #expect(counted(["", " \n"]).isEmpty)
    }

    @Test(
        "are granted in whatever order and case they stand",
        arguments: [
            (["a", "b", "c"], "A B C", true), (["c", "b", "a"], "a b c", true), (["b", "b"], "a b", true),
            (["a", "d"], "a b c", false), (["a"], "", false),
            (["longer.scope"], "long Longer.Scope.x LONGER.SCOPE", true),
            (["longer.scope"], "longer.scopE1 longer.scop", false), (["[x]"], "{x}", false),
        ]
    )
    func granting(asked: [String], granted: String, isGranted: Bool) {
        var text = QueryText(capacity: 0)
        let scopes = RequestedScopes(asked, in: &text)
        let bytes = Array(granted.utf8)
        let answer = scopes.areGranted(in: bytes.rawSpan, text)
        #expect(answer == isGranted)
    }

    @Test("are granted exactly where a set of scopes says that it satisfies them")
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
            let scopes = RequestedScopes(asked, in: &text)
            let request = ScopeSet(asked)
            #expect(scopes.isEmpty == request.isEmpty)
            if scopes.isEmpty { continue }
            let bytes = Array(granted.utf8)
            let answer = scopes.areGranted(in: bytes.rawSpan, text)
            #expect(answer == ScopeSet(UTF8Text(granted)).satisfies(request), "\(asked) of \(granted)")
        }
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
            let scopes = RequestedScopes(asked, in: &text)
            let bytes = Array(granted.joined(separator: " ").utf8)
            let answer = scopes.areGranted(in: bytes.rawSpan, text)
            let words = Set(granted.map { $0.lowercased() })
            #expect(answer == asked.allSatisfy { words.contains($0.lowercased()) }, "\(asked) \(granted)")
        }
    }
}
