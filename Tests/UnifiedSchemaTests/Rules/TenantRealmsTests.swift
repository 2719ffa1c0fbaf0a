// SPDX-License-Identifier: Apache-2.0

import Testing
import UnifiedSchema

private let personal = TenantWord.consumersTenant

@Suite("The realms that belong to one tenant")
struct TenantRealmsTests {
    private static let all: [UTF8Text] = ["home", "guest", personal, "common", "organizations", "consumers"]

    private func members(_ realms: TenantRealms<UTF8Text>) -> [UTF8Text] { Self.all.filter(realms.contains) }

    @Test(
        "of a word: what it means for the account, and the words that mean the same",
        arguments: [
            (.common, "home", ["home", "common", "organizations"]),
            (.organizations, "home", ["home", "common", "organizations"]),
            (.consumers, "home", [personal, "consumers"]),
            (.common, personal, [personal, "common", "consumers"]),
            (.organizations, personal, ["organizations"]),
            (.consumers, personal, [personal, "common", "consumers"]),
            (.common, nil, ["common", "organizations"]),
            (.organizations, nil, ["common", "organizations"]),
            (.consumers, nil, [personal, "consumers"]),
        ] as [(TenantWord, UTF8Text?, [UTF8Text])]
    )
    func word(word: TenantWord, home: UTF8Text?, expected: [UTF8Text]) {
        #expect(members(TenantRealms(of: word, home: home, isPersonal: home == personal) { $0 }) == expected)
    }

    @Test(
        "of a tenant that an entry names: the tenant, and the words that mean it for the account",
        arguments: [
            ("home", "home", ["home", "common", "organizations"]), ("guest", "home", ["guest"]),
            (personal, "home", [personal, "consumers"]), (personal, personal, [personal, "common", "consumers"]),
            (personal, nil, [personal, "consumers"]), ("guest", nil, ["guest"]), ("common", nil, ["common"]),
        ] as [(UTF8Text, UTF8Text?, [UTF8Text])]
    )
    func tenant(tenant: UTF8Text, home: UTF8Text?, expected: [UTF8Text]) {
        #expect(members(TenantRealms(of: tenant, home: home) { $0 }) == expected)
        #expect(members(TenantRealms(exactly: tenant)) == [tenant])
    }

    @Test(
        "are the same of a word as of the tenant that it means",
        arguments: TenantWord.allCases,
        ["home", personal] as [UTF8Text]
    )
    func agreement(word: TenantWord, home: UTF8Text) {
        guard let tenant = word.realm(homeAccountID: UTF8Text("uid.\(home.string)")) else {
            #expect(word == .organizations && home == personal)
            return
        }
        let ofWord = TenantRealms(of: word, home: home, isPersonal: home == personal) { $0 }
        #expect(members(ofWord) == members(TenantRealms(of: tenant, home: home) { $0 }))
    }
}
