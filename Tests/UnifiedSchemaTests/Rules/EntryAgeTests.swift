// SPDX-License-Identifier: Apache-2.0

import Testing
import UnifiedSchema

@Suite("Which of two entries is newer")
struct EntryAgeTests {
    private static func age(_ cachedAt: Int64?, _ lastModified: Int64? = nil) -> EntryAge {
        EntryAge(EntryTimes(cachedAt: cachedAt, lastModified: lastModified))
    }

    /// Two entries, whether the first is newer beyond doubt, and whether it counts as newer where one has to be chosen.
    static let rules: [(EntryAge, EntryAge, isSurely: Bool, isChosen: Bool)] = [
        (age(2), age(1), true, true),
        (age(1), age(2), false, false),
        (age(1), age(1), false, false),
        (age(nil), age(nil), false, false),
        (age(1), age(nil), false, true),
        (age(nil), age(1), false, false),
        (age(2, 9), age(1, 99), true, true),
        (age(nil, 2), age(1, 99), true, true),
        (age(nil, 1), age(nil, 2), false, false),
        (age(.min), age(nil), false, true),
    ]

    @Test("by the time that it was cached, else changed", arguments: rules)
    func rule(one: EntryAge, other: EntryAge, isSurely: Bool, isChosen: Bool) {
        #expect(one.isSurelyNewer(than: other) == isSurely)
        #expect((one > other) == isChosen)
    }
}
