// SPDX-License-Identifier: Apache-2.0

import Testing
import UnifiedSchema

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Entries of two accounts under one key of one section")
struct SharedKeyTests {
    let fixture = GroupFixture()
    static let ownKey = "a.t-login.windows.net-refreshtoken-client--"

    private func token(_ key: String, _ user: String, _ secret: String, more: String = "") -> Document {
        .sections(["RefreshToken": [Document.refreshToken(key: key, user: user, secret: secret, more: more)]])
    }

    @Test("are both exported: the later one under the key, the other under the one that its members give")
    func both() throws {
        let group = try fixture.createGroup()
        try group.take(token("k", "a.t", "first", more: #", "x-unknown": 1.50, "x-null": null"#))
        #expect(try group.take(token("k", "b.t", "second")).counts.new == 1)
        let exported = try group.give()
        #expect(exported.keys("RefreshToken") == [Self.ownKey, "k"])
        #expect(exported.member("RefreshToken", "k", "secret") as? String == "second")
        #expect(exported.member("RefreshToken", Self.ownKey, "secret") as? String == "first")
        #expect(exported.text.contains(#""x-unknown":1.50,"x-null":null"#))
        #expect(try group.give().text == exported.text)
    }

    @Test("get another key where that one is taken, too")
    func taken() throws {
        let group = try fixture.createGroup()
        try group.take(token(Self.ownKey, "c.t", "third"))
        try group.take(token("k", "a.t", "first"))
        try group.take(token("k", "b.t", "second"))
        let exported = try group.give()
        #expect(exported.keys("RefreshToken") == [Self.ownKey, Self.ownKey + "-2", "k"])
        #expect(exported.member("RefreshToken", Self.ownKey + "-2", "secret") as? String == "first")
    }

    @Test("keep their kinds in an export")
    func roundTrip() throws {
        let group = try fixture.createGroup()
        try group.take(token("k", "a.t", "first"))
        try group.take(token("k", "b.t", "second"))
        let exported = try group.give()
        let other = try fixture.createGroup(name: "other")
        #expect(try other.take(exported).counts.new == 2)
        #expect(try other.give().value == exported.value)
        #expect(try group.take(exported).hasChanges == false)
    }

    @Test("an entry that is put under its own key keeps it")
    func ownKey() throws {
        let facts = try TestEntry.refreshToken().under("k").parsed().facts
        #expect(facts.ownKey == "uid.utid-login.microsoftonline.com-refreshtoken-client-a--")
        #expect(facts.under("k") == facts)
        #expect(facts.under("other").key == "other")
    }
}
