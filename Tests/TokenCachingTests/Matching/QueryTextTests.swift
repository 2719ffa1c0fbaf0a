import Testing

@testable import TokenCaching

@Suite("The texts of a query")
struct QueryTextTests {
    @Test("find room, however many come", arguments: [0, 1, 16, 1000])
    func growth(capacity: Int) {
        var text = QueryText(capacity: capacity)
        let ranges = (0..<200).map { text.append("text number \($0)") }
        let copy = QueryText(copying: text)
        for (index, range) in ranges.enumerated() {
            let (original, copied) = (String(copying: text.span(range)), String(copying: copy.span(range)))
            #expect(original == "text number \(index)")
            #expect(copied == original)
        }
    }

    @Test("hold scopes folded, each once, and the reserved ones only where there is nothing else")
    func scopes() {
        func counted(_ scopes: [String]) -> [String] {
            var text = QueryText(capacity: 0)
            return RequestedScopes(scopes, in: &text).strings(text)
        }
        #expect(counted(["User.Read", " Mail.Read\tuser.read ", "OpenID"]) == ["user.read", "mail.read"])
        #expect(counted(["openid", "Profile"]) == ["openid", "profile"])
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
}

@Suite("Folding eight bytes at once")
struct FoldingTests {
    @Test("does what folding each does")
    func everyByte() {
        for byte in UInt8.min...UInt8.max {
            for position in 0..<8 {
                // Others around it, so that nothing may be carried over.
                var bytes: [UInt8] = [0xFF, 0x41, 0x5A, 0x80, 0x40, 0x5B, 0x7F, 0x00]
                bytes[position] = byte
                let word = bytes.enumerated().reduce(UInt64(0)) { $0 | UInt64($1.element) << UInt64(8 * $1.offset) }
                let expected = bytes.enumerated().reduce(UInt64(0)) {
                    $0 | UInt64(ASCIIText.folded($1.element)) << UInt64(8 * $1.offset)
                }
                #expect(ASCIIText.folded(word) == expected)
            }
        }
    }
}
