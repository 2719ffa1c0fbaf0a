// SPDX-License-Identifier: Apache-2.0

import SeededRandom
import Testing
import UnifiedSchema

@Suite("Clouds after any discovery")
struct CloudPropertyTests {
    @Test("a host belongs to one cloud, and built-in clouds never meet", arguments: 0..<6)
    func invariants(part: UInt64) {
        var generator = SeededGenerator(stream: part)
        let known = CloudTable.builtIn.clouds.flatMap(\.hosts)
        let hosts = known + (0..<6).map { UTF8Text("Host\($0).test") }
        var table = CloudTable.builtIn
        for _ in 0..<200 {
            let chosen = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
                hosts.randomElement(using: &generator) ?? "x"
            }
            let before = table
            table.learn(
                Cloud(
                    hosts: chosen,
                    preferredNetworkHost: chosen.randomElement(using: &generator) ?? "x",
                    preferredCacheHost: chosen.randomElement(using: &generator) ?? "x"
                )
            )
            #expect(table.version == before.version + (table == before ? 0 : 1))
            let all = table.clouds.flatMap(\.hosts)
            #expect(Set(all).count == all.count)
            for cloud in table.clouds {
                #expect(cloud.hosts.contains(cloud.preferredCacheHost))
                #expect(cloud.hosts.contains(cloud.preferredNetworkHost))
                for host in cloud.hosts { #expect(table.cloud(of: host) == cloud) }
            }
            for (index, one) in CloudTable.builtIn.clouds.enumerated() {
                #expect(one.hosts.allSatisfy { table.areAliases($0, one.hosts[0]) })
                for other in CloudTable.builtIn.clouds[(index + 1)...] {
                    #expect(!table.areAliases(one.hosts[0], other.hosts[0]))
                }
            }
        }
    }

    @Test("a cloud takes its preferred hosts in, folded and once")
    func cloud() {
        let cloud = Cloud(
            hosts: ["A.test", "a.TEST", ""],
            preferredNetworkHost: "B.test",
            preferredCacheHost: "a.test"
        )
        #expect(cloud.hosts == ["a.test", "b.test"])
        #expect(cloud.preferredNetworkHost == "b.test" && cloud.preferredCacheHost == "a.test")
    }

    @Test("every word in place of a tenant is found in any case", arguments: TenantWord.allCases)
    func words(word: TenantWord) {
        #expect(TenantWord(UTF8Text(word.rawValue.uppercased())) == word)
        #expect(TenantWord(UTF8Text(" \(word.rawValue) ")) == word)
        #expect(word.text.string == word.rawValue)
        #expect(TenantWord(UTF8Text(word.rawValue + ".onmicrosoft.com")) == nil)
    }

    @Test(
        "the home tenant follows the last dot",
        arguments: [
            ("uid.utid", "utid"), ("uid.UTID", "utid"), ("a.b.c", "c"), ("uid-b2c_1_signin.tid", "tid"), ("sub", nil),
            ("", nil),
            ("x.", nil), (".t", "t"), ("x. t ", "t"),
        ] as [(String, String?)]
    )
    func homeTenant(id: String, expected: String?) {
        #expect(TenantWord.homeTenant(of: UTF8Text(id))?.string == expected)
    }
}
