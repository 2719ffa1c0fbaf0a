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

    @Test func `subjects of an issuer that differ in outer white space are different accounts`() {
        let issuer: UTF8Text = "https://id.example/realm"
        let ids = ["ada", " ada", "ada ", "ada\t", "a da", "%20ada", "%61da", "%20%61%64%61", "ada%20"].map {
            HomeAccountID.comparable(UTF8Text($0), issuer: issuer)
        }
        #expect(Set(ids).count == ids.count && !ids.contains(nil))
        #expect(HomeAccountID.comparable(" ada ", issuer: nil) == "ada")
        #expect(HomeAccountID.comparable(" \t", issuer: issuer) == nil)
    }
}
