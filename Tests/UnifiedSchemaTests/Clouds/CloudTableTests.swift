// SPDX-License-Identifier: Apache-2.0

import Testing
import UnifiedSchema

@Suite("Clouds and tenants")
struct CloudTableTests {
    @Test(
        "aliases lead to the preferred cache host",
        arguments: [
            ("login.microsoftonline.com", "login.windows.net"), ("sts.windows.net", "login.windows.net"),
            ("LOGIN.Microsoft.com", "login.windows.net"), ("login.windows.net", "login.windows.net"),
            ("login.chinacloudapi.cn", "login.partner.microsoftonline.cn"),
            ("login.usgovcloudapi.net", "login.microsoftonline.us"),
            ("login-us.microsoftonline.com", "login-us.microsoftonline.com"),
            ("login.microsoftonline.de", "login.microsoftonline.de"),
            ("login.sovcloud-identity.fr", "login.sovcloud-identity.fr"),
            ("sts.windows-ppe.net", "login.windows-ppe.net"),
            ("Login.Contoso.com ", "login.contoso.com"),
        ]
    )
    func preferred(host: String, expected: String) {
        #expect(CloudTable.builtIn.preferredCacheHost(for: UTF8Text(host)).string == expected)
    }

    @Test("hosts of two clouds are not aliases")
    func apart() {
        #expect(CloudTable.builtIn.areAliases("login.microsoftonline.com", "STS.windows.net"))
        #expect(!CloudTable.builtIn.areAliases("login.microsoftonline.com", "login.microsoftonline.us"))
    }

    @Test("discovery adds hosts and changes the version")
    func learn() {
        var table = CloudTable.builtIn
        table.learn(
            Cloud(
                hosts: ["login.windows.net", "Login.New.com"],
                preferredNetworkHost: "login.microsoft.com",
                preferredCacheHost: "sts.windows.net"
            )
        )
        #expect(table.version == 1)
        #expect(table.preferredCacheHost(for: "login.new.com") == "sts.windows.net")
        #expect(table.preferredNetworkHost(for: "login.new.com") == "login.microsoft.com")
        let before = table
        table.learn(
            Cloud(
                hosts: ["login.new.com"],
                preferredNetworkHost: "login.microsoft.com",
                preferredCacheHost: "sts.windows.net"
            )
        )
        #expect(table == before)
    }

    @Test("of a cloud that ships no other host becomes preferred; of one that was learnt it does")
    func preferences() {
        var table = CloudTable.builtIn
        for host in ["login.windows.net", "login.other.com"] as [UTF8Text] {
            table.learn(
                Cloud(hosts: [host, "login.old.com"], preferredNetworkHost: host, preferredCacheHost: "login.old.com")
            )
            table.learn(Cloud(hosts: [host], preferredNetworkHost: "evil.com", preferredCacheHost: "evil.com"))
        }
        #expect(table.preferredNetworkHost(for: "login.windows.net") == "login.windows.net")
        #expect(table.preferredCacheHost(for: "evil.com") == "login.windows.net")
        #expect(table.preferredNetworkHost(for: "unknown.com") == "unknown.com")
        var other = CloudTable.builtIn
        other.learn(Cloud(hosts: ["a.test"], preferredNetworkHost: "a.test", preferredCacheHost: "a.test"))
        other.learn(Cloud(hosts: ["a.test"], preferredNetworkHost: "b.test", preferredCacheHost: "b.test"))
        #expect(other.preferredNetworkHost(for: "a.test") == "b.test")
        #expect(other.preferredCacheHost(for: "a.test") == "b.test")
    }

    @Test("no server makes the table grow without end")
    func bounded() {
        var table = CloudTable.builtIn
        for index in 0..<2 * CloudTable.maximumHostCount {
            let host = UTF8Text("h\(index).test")
            table.learn(Cloud(hosts: [host], preferredNetworkHost: host, preferredCacheHost: host))
        }
        #expect(table.clouds.reduce(0) { $0 + $1.hosts.count } == CloudTable.maximumHostCount)
    }

    @Test("discovery can add a cloud")
    func newCloud() {
        var table = CloudTable.builtIn
        table.learn(Cloud(hosts: ["a.test"], preferredNetworkHost: "b.test", preferredCacheHost: "c.test"))
        #expect(table.areAliases("a.test", "c.test"))
        #expect(table.preferredCacheHost(for: "b.test") == "c.test")
    }

    @Test("no answer joins two clouds")
    func neverJoined() {
        var table = CloudTable.builtIn
        table.learn(
            Cloud(
                hosts: ["login.microsoftonline.com", "login.microsoftonline.us", "login.chinacloudapi.cn"],
                preferredNetworkHost: "login.microsoftonline.com",
                preferredCacheHost: "login.windows.net"
            )
        )
        #expect(table == CloudTable.builtIn)
    }

    @Test("words in place of a tenant")
    func words() {
        #expect(TenantWord("Common") == .common)
        #expect(TenantWord("contoso.com") == nil)
        #expect(TenantWord.common.realm(homeAccountID: "oid.TID") == "tid")
        #expect(TenantWord.organizations.realm(homeAccountID: "sub") == nil)
        #expect(TenantWord.consumers.realm(homeAccountID: "x.y") == TenantWord.consumersTenant)
        #expect(TenantWord.homeTenant(of: "a.b.c") == "c")
        #expect(TenantWord.homeTenant(of: "a.") == nil)
    }
}
