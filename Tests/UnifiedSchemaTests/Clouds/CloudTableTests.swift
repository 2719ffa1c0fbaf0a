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

    @Test("hosts of two clouds are no aliases")
    func apart() {
        #expect(CloudTable.builtIn.areAliases("login.microsoftonline.com", "STS.windows.net"))
        #expect(!CloudTable.builtIn.areAliases("login.microsoftonline.com", "login.microsoftonline.us"))
        #expect(CloudTable.builtIn.aliases(of: "contoso.com") == ["contoso.com"])
        #expect(CloudTable.builtIn.aliases(of: "sts.windows.net").count == 4)
    }

    @Test("discovery adds hosts and changes preferences, and the version tells")
    func learn() {
        var table = CloudTable.builtIn
        table.learn(
            Cloud(
                hosts: ["login.windows.net", "Login.New.com"],
                preferredNetworkHost: "login.new.com",
                preferredCacheHost: "login.new.com"
            )
        )
        #expect(table.version == 1)
        #expect(table.preferredCacheHost(for: "sts.windows.net") == "login.new.com")
        #expect(table.cloud(of: "login.new.com")?.preferredNetworkHost == "login.new.com")
        let before = table
        table.learn(
            Cloud(hosts: ["login.new.com"], preferredNetworkHost: "login.new.com", preferredCacheHost: "login.new.com")
        )
        #expect(table == before)
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
