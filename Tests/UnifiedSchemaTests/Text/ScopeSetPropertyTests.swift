// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import UnifiedSchema

@Suite("Scopes against a plain model")
struct ScopeSetPropertyTests {
    private static let words = [
        "openid", "profile", "offline_access", "email", "Address", "phone", "User.Read", "user.read", "Mail.Send", "a",
        "A", "b", "é", "É",
        "https://graph.microsoft.com/.default", "https://x//.default", "api://1/Scope.A", "0123456789abcdef", "x:y",
    ]

    /// What the set should hold.
    private static func model(_ text: String) -> Set<String> {
        Set(text.split(separator: " ").map { UTF8Text(String($0)).asciiLowercased().string })
    }

    private static let openID: Set = ["openid", "profile", "email", "address", "phone", "offline_access"]

    @Test("subset and intersection follow from the members", arguments: 0..<6)
    func agreement(part: UInt64) {
        var random = RandomJSON(stream: part)
        for _ in 0..<500 {
            let texts = (0..<2).map { _ in
                (0..<random.pick([0, 1, 1, 2, 5, 12])).map { _ in random.pick(Self.words) }.joined(
                    separator: random.pick([" ", "  "])
                )
            }
            let (one, other) = (ScopeSet(UTF8Text(texts[0])), ScopeSet(UTF8Text(texts[1])))
            let (mine, theirs) = (Self.model(texts[0]), Self.model(texts[1]))
            #expect(one.count == mine.count)
            #expect((one == other) == (mine == theirs))
            #expect(one.isSubset(of: other) == mine.isSubset(of: theirs))
            let resources = mine.intersection(theirs).subtracting(Self.openID)
            func compared(_ scopes: Set<String>) -> Set<String> {
                scopes == ["offline_access"] ? ["openid"] : scopes.subtracting(["offline_access"])
            }
            let isOpenIDOnly = mine.union(theirs).isSubset(of: Self.openID)
            let shared = isOpenIDOnly ? compared(mine).intersection(compared(theirs)) : resources
            #expect(one.intersects(other) == !shared.isEmpty, "\(texts)")
        }
    }

    @Test("a set may be compared from several threads at once")
    func threads() async {
        for _ in 0..<50 {
            let set = ScopeSet("User.Read Mail.Send openid")
            let answers = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<8 { group.addTask { set.intersects("mail.send") && set.count == 3 } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers == Array(repeating: true, count: 8))
        }
    }

    @Test("ten thousand scopes with repetitions are handled")
    func large() {
        let all = ScopeSet((0..<10_000).map { "scope.\($0 % 5000)" })
        #expect(all.count == 5000)
        #expect(all.intersects("Scope.4999 scope.5000"))
        #expect(!all.intersects("scope.5000"))
        #expect(all.scopes.count == 10_000)
    }
}
