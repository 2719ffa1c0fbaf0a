// SPDX-License-Identifier: Apache-2.0

import Testing
import UnifiedSchema

@Suite("Which of two entries is newer")
struct EntryAgeTests {
    private static func age(_ cachedAt: Int64?, _ lastModified: Double? = nil) -> EntryAge {
        let microseconds = lastModified.map { Int64($0 * 1_000_000) }
        return EntryAge(EntryTimes(cachedAt: cachedAt, lastModifiedMicroseconds: microseconds))
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
        (age(nil, 1.5), age(nil, 1.25), true, true),
        (age(nil, 2), age(nil, 1.5), true, true),
        // The one without a fraction may have been rounded down.
        (age(nil, 1.5), age(1), false, true),
    ]

    @Test("by the time that it was cached, else changed", arguments: rules)
    func rule(one: EntryAge, other: EntryAge, isSurely: Bool, isChosen: Bool) {
        #expect(one.isSurelyNewer(than: other) == isSurely)
        #expect((one > other) == isChosen)
    }
}
