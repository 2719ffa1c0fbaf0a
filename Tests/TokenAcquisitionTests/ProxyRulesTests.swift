// SPDX-License-Identifier: Apache-2.0

import Testing
import TokenAcquisition

@Suite struct ProxyRulesTests {
    private func proxy(_ url: String, _ environment: [String: String]) throws -> String? {
        try ProxyRules(environment: environment).proxy(for: #require(RequestTarget(url)))?.description
    }

    @Test(
        arguments: [
            ([:], nil),
            (["HTTPS_PROXY": "http://a:1"], "a:1"),
            (["HTTPS_PROXY": "a:1", "https_proxy": "b:2"], "b:2"),
            (["HTTPS_PROXY": "a:1", "https_proxy": ""], "a:1"),
            (["ALL_PROXY": "a:1"], "a:1"),
            (["all_proxy": "c:3", "HTTPS_PROXY": "a:1"], "a:1"),
            (["HTTP_PROXY": "a:1", "http_proxy": "a:1"], nil),
            (["HTTPS_PROXY": " http://a/ "], "a:80"),
            (["HTTPS_PROXY": "socks5h://a"], "a:1080"),
            (["HTTPS_PROXY": "http://[::2]:3128"], "::2:3128"),
            (["HTTPS_PROXY": "http://proxy.example.:3128/"], "proxy.example:3128"), (["HTTPS_PROXY": "a."], "a:80"),
        ] as [([String: String], String?)]
    )
    func `the environment names the proxy`(environment: [String: String], expected: String?) throws {
        #expect(try proxy("https://idp.example/", environment) == expected)
    }

    @Test(arguments: [
        ("idp.example", true), (".example", true), ("*.example", true), ("EXAMPLE", true),
        ("other, idp.example ", true),
        ("other idp.example:443", true), ("*", true), ("xample", false), ("idp.example:8443", false),
        ("example.", true), ("idp.example.:443", true), ("idp.example..", false),
        ("p.example", false),
        ("evil.idp.example", false), ("", false), (",,", false), (".", false),
    ])
    func `hosts of NO_PROXY are asked directly`(exceptions: String, isDirect: Bool) throws {
        let found = try proxy("https://idp.example/", ["HTTPS_PROXY": "a:1", "NO_PROXY": exceptions])
        #expect((found == nil) == isDirect)
    }

    @Test(arguments: [
        ("https://10.0.0.1/", "10.0.0.1", true), ("https://10.0.0.1/", "0.0.1", false),
        ("https://10.0.0.1/", ".1", false),
        ("https://[2001:db8::1]/", "2001:DB8::1", true), ("https://[2001:db8::1]:8443/", "[2001:db8::1]:443", false),
    ])
    func `an address is no name below a domain`(url: String, exceptions: String, isDirect: Bool) throws {
        #expect((try proxy(url, ["HTTPS_PROXY": "a:1", "no_proxy": exceptions]) == nil) == isDirect)
    }

    @Test(arguments: ["https://localhost:8443/", "http://127.0.0.1/", "https://[::1]/"])
    func `a loopback host is always asked directly`(url: String) throws {
        #expect(try proxy(url, ["HTTPS_PROXY": "a:1", "ALL_PROXY": "a:1"]) == nil)
    }

    @Test(arguments: [
        "https://a:1", "ftp://a", "http://", "http://a:x", "socks4://a", "socks5://name:canary@a", "http://canary%zz@a",
        "a b", "a..", ".", "[::2].:80",
    ])
    func `no request goes out without a proxy that cannot be used`(value: String) {
        #expect(throws: TransportError(.proxyRejected, mayHaveBeenSent: false)) {
            try proxy("https://idp.example/", ["HTTPS_PROXY": value])
        }
    }

    @Test func `credentials are decoded, and shown nowhere`() throws {
        let proxy = try #require(Proxy("http://canary%40x:canary%3Ay:z@a:1"))
        #expect(proxy.credentials?.username == "canary@x" && proxy.credentials?.password == "canary:y:z")
        var shown = String(describing: proxy) + String(reflecting: proxy)
        dump(proxy, to: &shown)
        dump([proxy: 1], to: &shown)
        #expect(!shown.contains("canary"))
    }

    @Test func `a password in the environment is shown nowhere`() {
        let rules = ProxyRules(environment: ["HTTPS_PROXY": "http://user:canary@proxy.example:3128"])
        var text = "\(rules) \(String(reflecting: rules))"
        dump(rules, to: &text)
        #expect(!text.contains("canary"))
    }
}
