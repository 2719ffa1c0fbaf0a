// SPDX-License-Identifier: Apache-2.0

/// A set of known members in 128 bits: the number of a name is at most 127.
struct MemberSet: Sendable, ExpressibleByArrayLiteral {
    private var words: (UInt64, UInt64) = (0, 0)

    init(arrayLiteral names: MemberName...) {
        for name in names { insert(name) }
    }

    /// All members that satisfy a condition.
    init(where isIncluded: (MemberName) -> Bool) {
        for name in MemberName.allCases where isIncluded(name) { insert(name) }
    }

    mutating func insert(_ name: MemberName) {
        let bit: UInt64 = 1 << UInt64(name.rawValue & 63)
        if name.rawValue < 64 { words.0 |= bit } else { words.1 |= bit }
    }

    mutating func formUnion(_ others: MemberSet) {
        words.0 |= others.words.0
        words.1 |= others.words.1
    }

    func contains(_ name: MemberName) -> Bool {
        let bit: UInt64 = 1 << UInt64(name.rawValue & 63)
        return (name.rawValue < 64 ? words.0 : words.1) & bit != 0
    }

    func contains(anyOf others: MemberSet) -> Bool {
        words.0 & others.words.0 | words.1 & others.words.1 != 0
    }
}
