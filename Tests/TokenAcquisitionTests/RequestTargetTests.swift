// SPDX-License-Identifier: Apache-2.0

import Testing
import TokenAcquisition

@Suite struct RequestTargetTests {
    @Test(arguments: [
        ("https://idp.example/token", "idp.example", 443),
        ("HTTPS://IDP.Example:8443?x=1", "idp.example", 8443),
        ("http://localhost:80/a/b", "localhost", 80),
        ("http://localhost", "localhost", 80),
        ("https://[2001:DB8::1]:444/", "2001:db8::1", 444),
        ("https://idp.example/a@b:c", "idp.example", 443),
    ])
    func `a URL names a host and a port`(url: String, host: String, port: Int) throws {
        let target = try #require(RequestTarget(url))
        #expect(target.host == host && target.port == port)
        #expect(target.isSecure == url.lowercased().hasPrefix("https"))
    }

    @Test(arguments: [
        "", "idp.example", "//idp.example/", "ftp://idp.example/", "https:/idp.example", "https://", "https:///token",
        "https://a@idp.example/", "https://idp.example@evil.example/", "https://idp.example:/",
        "https://idp.example:0/",
        "https://idp.example:65536/", "https://idp.example:+80/", "https://idp.example:8o/",
        "https://idp.example\\@evil.example/",
        "https://idp.example/#fragment", "https://idp example/", "https://idp.example/\r\nHost: evil.example",
        "https://idp.exämple/",
        "https://idp%2eexample/", "https://[::1/", "https://[::1]x/", "https://[fe80::1%25eth0]/",
        "https://[evil.example]/",
        "http+unix://%2Frun%2Fidp/", " https://idp.example/",
    ])
    func `a URL that parsers may read in two ways names none`(url: String) {
        #expect(RequestTarget(url) == nil)
    }

    @Test(arguments: [
        ("localhost", true), ("LOCALHOST", true), ("127.0.0.1", true), ("127.255.0.9", true), ("[::1]", true),
        ("localhost.example", false), ("idp.localhost", false), ("127.0.0.1.example", false), ("127.1", false),
        ("127.0.0.256", false), ("127.0.0.+1", false), ("128.0.0.1", false), ("[::2]", false), ("0.0.0.0", false),
    ])
    func `only hosts that are this machine everywhere are loopback hosts`(host: String, isLoopback: Bool) {
        #expect((RequestTarget("http://\(host)/") != nil) == isLoopback)
        #expect((RequestTarget("https://\(host)/")?.isLoopback ?? false) == isLoopback)
    }

    @Test(arguments: [
        ("X-A", "b", true), ("X-A", "b\tc ü", true), ("", "b", false), ("X A", "b", false), ("X:", "b", false),
        ("X-A", "b\r\nX-C: d", false), ("X-A", "b\nc", false), ("X-A", "\0", false),
    ])
    func `a header field has no line breaks`(name: String, value: String, isValid: Bool) {
        #expect(HTTPHeaderField(name, value).isValid == isValid)
    }
}
