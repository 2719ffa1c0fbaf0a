// SPDX-License-Identifier: Apache-2.0

import Testing
import UnifiedSchema

@Suite("Home account ids")
struct HomeAccountIDTests {
    @Test(
        "are one account's where they differ by case or by a policy only",
        arguments: [
            ("oid.tid", "OID.TID", true), ("oid.tid", "oid.tid-b2c_1_susi", true), ("oid-b2c_1_a.tid", "oid.tid", true),
            ("oid-b2c_1_a.tid", "oid-b2c_1_b.tid-B2C_1_b", true), ("oid-b2c_1a_x-y.tid", "oid.tid", true),
            ("oid.tid", "oid.other", false), ("oid.tid", "other.tid", false), ("oid.tid", "oid", false),
            ("oid-b2c.tid", "oid.tid", false), ("oid-x-b2c_1_a.tid", "oid.tid", false), ("-b2c_1_a.tid", ".tid", false),
            ("oid.tid.-b2c_1_a", "oid.tid", false), ("b2c_1_a.tid", "b2c_1_b.tid", false), ("", "", true),
        ]
    )
    func same(one: String, other: String, expected: Bool) {
        #expect(HomeAccountID.areSame(UTF8Text(one), UTF8Text(other)) == expected)
        #expect(HomeAccountID.areSame(UTF8Text(other), UTF8Text(one)) == expected)
    }
}
