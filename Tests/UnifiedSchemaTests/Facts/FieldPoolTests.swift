// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import Testing

@testable import UnifiedSchema

@Suite("Values that entries share")
struct FieldPoolTests {
    private func text(_ pool: inout FieldPool, _ value: String) -> UTF8Text? {
        pool.normalizedText(value.rawSpan)
    }

    @Test("a value is the same whether it was seen or not")
    func values() {
        var pool = FieldPool()
        for _ in 0..<3 {
            #expect(text(&pool, " LOGIN.windows.net ") == "login.windows.net")
            #expect(text(&pool, "") == nil)
            #expect(text(&pool, "   ") == nil)
            #expect(pool.scopeSet("User.Read B".rawSpan) == "b user.read")
            #expect(pool.scopeSet("".rawSpan)?.isEmpty == true)
        }
    }

    @Test("scopes that were seen are one in memory")
    func shared() {
        var pool = FieldPool()
        let first = pool.scopeSet("User.Read openid".rawSpan)
        let second = pool.scopeSet("User.Read openid".rawSpan)
        let other = pool.scopeSet("user.read openid".rawSpan)
        #expect(first == second && first == other)
        #expect(other?.text == "user.read openid" && first?.text == "User.Read openid")
    }

    @Test("more values than it has places are all right, and so are long ones")
    func many() {
        var pool = FieldPool()
        for round in 0..<2 {
            for index in 0..<2000 {
                #expect(text(&pool, "Value \(index)") == UTF8Text("value \(index)"), "\(round)")
                #expect(pool.scopeSet("s\(index) T".rawSpan) == ScopeSet(UTF8Text("t S\(index)")))
            }
        }
        let long = String(repeating: "Long ", count: 5000)
        #expect(text(&pool, long)?.byteCount == long.utf8.count - 1)
    }

    @Test("values that are not text are nil")
    func invalid() {
        var pool = FieldPool()
        for _ in 0..<2 {
            let text = pool.normalizedText([0xFF, 0x41].rawSpan)
            let scopes = pool.scopeSet([0xC0, 0x80].rawSpan)
            #expect(text == nil && scopes == nil)
        }
    }
}
