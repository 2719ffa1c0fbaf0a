// SPDX-License-Identifier: Apache-2.0

import Testing
import UnifiedSchema

@Suite("Which of two entries is newer")
struct EntryAgeTests {
    private static func age(_ cachedAt: Int64?, _ lastModified: Int64? = nil) -> EntryAge {
        EntryAge(EntryTimes(cachedAt: cachedAt, lastModified: lastModified))
    }

    /// Two entries, whether the first is newer beyond doubt, and whether it counts as newer where it was committed earlier and
    /// where it was committed later.
    static let rules: [(EntryAge, EntryAge, isSurely: Bool, ifEarlier: Bool, ifLater: Bool)] = [
        (age(2), age(1), true, true, true),
        (age(1), age(2), false, false, false),
        (age(1), age(1), false, false, true),
        (age(nil), age(nil), false, false, true),
        (age(1), age(nil), false, true, true),
        (age(nil), age(1), false, false, false),
        (age(2, 9), age(1, 99), true, true, true),
        (age(nil, 2), age(1, 99), true, true, true),
        (age(nil, 1), age(nil, 2), false, false, false),
        (age(.min), age(nil), false, true, true),
    ]

    @Test(
        "by the time that it was cached, else changed; where both say the same, by the order of commits",
        arguments: rules
    )
    func rule(one: EntryAge, other: EntryAge, isSurely: Bool, ifEarlier: Bool, ifLater: Bool) {
        #expect(one.isSurelyNewer(than: other) == isSurely)
        #expect(one.isNewer(than: other, orElse: false) == ifEarlier)
        #expect(one.isNewer(than: other, orElse: true) == ifLater)
    }
}
