// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TokenAcquisition

@Suite struct AuthorityTests {
    struct Recognised: Sendable, CustomTestStringConvertible {
        let url: String
        let kind: Authority.Kind
        let environment: String
        let tenant: String?
        let canonical: String
        var testDescription: String { url }

        init(_ url: String, _ kind: Authority.Kind, _ environment: String, _ tenant: String?, _ canonical: String) {
            (self.url, self.kind, self.environment) = (url, kind, environment)
            (self.tenant, self.canonical) = (tenant, canonical)
        }
    }

    static let id = "72f988bf-86f1-41af-91ab-2d7cd011db47"

    @Test(arguments: [
        ("https://login.microsoftonline.com/common/v2.0/", "https://login.microsoftonline.com/common"),
        ("https://fs.contoso.com/adfs/ls/", "https://fs.contoso.com/adfs"),
        ("https://contoso.ciamlogin.com/contoso.onmicrosoft.com/v2.0", "https://contoso.ciamlogin.com"),
        (
            "https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/b2c_1_in/v2.0/",
            "https://contoso.b2clogin.com/TFP/contoso.onmicrosoft.com/b2c_1_in"
        ),
    ])
    func `two ways of writing an authority are equal`(_ one: String, _ other: String) throws {
        #expect(try Authority(one) == Authority(other))
    }

    @Test func `the words are equal to what is made of them`() throws {
        #expect(try Authority.entra(tenant: "common") == .common)
        #expect(try Authority("https://login.microsoftonline.com/organizations/") == .organizations)
    }

    @Test(arguments: [NationalCloud.global, .china, .usGovernment, .bleu, .delos, .singaporeGovernment])
    func `the hosts of the national clouds are built in`(_ cloud: NationalCloud) throws {
        #expect(try Authority("https://\(cloud.host)/common").kind == .entra)
    }

    static let recognised: [Recognised] = [
        .init(
            "https://login.microsoftonline.com/common",
            .entra,
            "login.microsoftonline.com",
            "common",
            "https://login.microsoftonline.com/common"
        ),
        .init(
            "HTTPS://LOGIN.microsoftonline.COM:443/contoso.com/v2.0/",
            .entra,
            "login.microsoftonline.com",
            "contoso.com",
            "https://login.microsoftonline.com/contoso.com"
        ),
        .init(
            "https://login.windows.net/\(id)",
            .entra,
            "login.windows.net",
            id,
            "https://login.windows.net/\(id)"
        ),
        .init(
            "https://login.partner.microsoftonline.cn/organizations",
            .entra,
            "login.partner.microsoftonline.cn",
            "organizations",
            "https://login.partner.microsoftonline.cn/organizations"
        ),
        .init(
            "https://contoso.b2clogin.com/contoso.onmicrosoft.com/b2c_1_in",
            .b2c,
            "contoso.b2clogin.com",
            "contoso.onmicrosoft.com",
            "https://contoso.b2clogin.com/contoso.onmicrosoft.com/b2c_1_in"
        ),
        .init(
            "https://login.contoso.com/tfp/contoso.onmicrosoft.com/b2c_1_in/",
            .b2c,
            "login.contoso.com",
            "contoso.onmicrosoft.com",
            "https://login.contoso.com/tfp/contoso.onmicrosoft.com/b2c_1_in"
        ),
        .init(
            "https://contoso.ciamlogin.com/",
            .ciam,
            "contoso.ciamlogin.com",
            "contoso.onmicrosoft.com",
            "https://contoso.ciamlogin.com/contoso.onmicrosoft.com"
        ),
        .init(
            "https://contoso.ciamlogin.com/\(id)",
            .ciam,
            "contoso.ciamlogin.com",
            id,
            "https://contoso.ciamlogin.com/\(id)"
        ),
        .init("https://fs.contoso.com/adfs", .adfs, "fs.contoso.com", "adfs", "https://fs.contoso.com/adfs"),
        .init("https://fs.contoso.com/ADFS/", .adfs, "fs.contoso.com", "adfs", "https://fs.contoso.com/adfs"),
        .init(
            "https://idp.example:8443/realms/staff",
            .openIDConnect,
            "idp.example:8443",
            "realms/staff",
            "https://idp.example:8443/realms/staff"
        ),
        .init(
            "https://accounts.google.com",
            .openIDConnect,
            "accounts.google.com",
            nil,
            "https://accounts.google.com"
        ),
        .init("http://127.0.0.1:8080/s/1", .openIDConnect, "127.0.0.1:8080", "s/1", "http://127.0.0.1:8080/s/1"),
        .init("http://[::1]:8080/", .openIDConnect, "[::1]:8080", nil, "http://[::1]:8080/"),
        .init("http://localhost/x", .openIDConnect, "localhost", "x", "http://localhost/x"),
    ]

    @Test(arguments: recognised) func `a URL is recognised by its host and path`(_ row: Recognised) throws {
        let authority = try Authority(row.url)
        #expect(authority.kind == row.kind)
        #expect(authority.environment == row.environment)
        #expect(authority.tenant == row.tenant)
        #expect(authority.url == row.canonical)
    }

    @Test(arguments: [
        "", "login.microsoftonline.com/common", "http://login.microsoftonline.com/common", "ftp://idp.example/",
        "https://login.microsoftonline.com", "https://user@login.microsoftonline.com/common",
        "https://login.microsoftonline.com@evil.example/common", "https://idp.example/#x", "https://idp.example/?x=1",
        "https://idp.example/../common", "https://idp.example/a%2fb", "https://idp.example/%2e%2e/b",
        "https://idp.example\\@evil.example/", "https://idp.example:0/", "https://idp.example:70000/",
        "https://idp.example:/", "https:///common", "https://idp..example/", "https://bücher.example/",
        "https://idp.example/a b", "https://idp.example/\u{0}", "https://[::1/", "https://[x]/",
        "http://127.0.0.1.evil.example/",
        "http://127.0.0.256/", "http://localhost.evil.example/", "https://contoso.b2clogin.com/contoso.onmicrosoft.com",
        "https://login.contoso.com/tfp/contoso", "https://" + String(repeating: "a", count: 2100) + ".example/",
    ])
    func `a URL that is no authority is refused`(_ url: String) {
        let error = #expect(throws: AcquisitionError.self) { try Authority(url) }
        #expect(error?.code == .configurationRejected)
    }

    @Test func `the parts of an authority cannot leave their place`() {
        for part in ["a/b", "a?b", "a#b", "..", "", "a b", "a@b/c"] {
            #expect(throws: AcquisitionError.self) { try Authority.entra(tenant: part) }
            #expect(throws: AcquisitionError.self) {
                try Authority.b2c(host: "x.b2clogin.com", tenant: "t", policy: part)
            }
        }
        #expect(throws: AcquisitionError.self) { try Authority.adfs(host: "fs.example/x") }
        #expect(throws: AcquisitionError.self) { try Authority.adfs(host: "user@fs.example") }
        #expect(throws: AcquisitionError.self) {
            try Authority.openIDConnect(issuer: "https://a.example", endpointHosts: ["b.example/x"])
        }
    }

    @Test func `an error does not quote the URL, which may contain a password`() {
        let error = #expect(throws: AcquisitionError.self) { try Authority("https://canary:canary@idp.example/") }
        #expect(error?.description.contains("canary") == false)
    }

    @Test func `metadata is where each kind of server has it`() throws {
        let suffix = ".well-known/openid-configuration"
        let rows: [(Authority, String)] = [
            (.common, "https://login.microsoftonline.com/common/v2.0/\(suffix)"),
            (
                try .b2c(host: "x.b2clogin.com", tenant: "t", policy: "p"),
                "https://x.b2clogin.com/tfp/t/p/v2.0/\(suffix)"
            ),
            (try .ciam(name: "x"), "https://x.ciamlogin.com/x.onmicrosoft.com/v2.0/\(suffix)"),
            (try .adfs(host: "fs.example"), "https://fs.example/adfs/\(suffix)"),
            (try .openIDConnect(issuer: "https://a.example"), "https://a.example/\(suffix)"),
            (try .openIDConnect(issuer: "https://a.example/"), "https://a.example/\(suffix)"),
            (try .openIDConnect(issuer: "https://a.example/s/1"), "https://a.example/s/1/\(suffix)"),
        ]
        for (authority, url) in rows { #expect(authority.metadataURL == url) }
    }

    @Test(arguments: [
        ("https://login.microsoftonline.com/common", true), ("https://x.ciamlogin.com", true),
        ("https://x.b2clogin.com/t.example/b2c_1_a", false), ("https://fs.example/adfs", false),
        ("https://idp.example/s/1", false),
    ])
    func `only some kinds of server sign users in to another tenant`(_ text: String, _ hasOther: Bool) throws {
        let authority = try Authority(text)
        let other = authority.tenant("other.example")
        #expect(hasOther ? other.tenant == "other.example" : other == authority)
    }

    // MARK: - Issuers

    static let personal = "9188040d-6c67-4c5b-b112-36a304b66dad"
    static let other = "11111111-2222-3333-4444-555555555555"

    /// Authority, issuer, whether it is accepted.
    static let issuers: [(String, String, Bool)] = [
        ("https://login.microsoftonline.com/common", "https://login.microsoftonline.com/{tenantid}/v2.0", true),
        ("https://login.microsoftonline.com/common", "https://sts.windows.net/{tenantid}/", true),
        ("https://login.microsoftonline.com/organizations", "https://login.windows.net/{tenantid}/v2.0", true),
        ("https://login.microsoftonline.com/common", "https://login.microsoftonline.us/{tenantid}/v2.0", false),
        (
            "https://login.microsoftonline.com/common",
            "https://login.microsoftonline.com.evil.example/{tenantid}/v2.0", false
        ),
        ("https://login.microsoftonline.com/common", "http://login.microsoftonline.com/{tenantid}/v2.0", false),
        ("https://login.microsoftonline.com/common", "https://login.microsoftonline.com/{tenantid}/v2.0?x", false),
        ("https://login.microsoftonline.com/common", "https://x@login.microsoftonline.com/{tenantid}/v2.0", false),
        ("https://login.microsoftonline.com/consumers", "https://login.microsoftonline.com/\(personal)/v2.0", true),
        ("https://login.microsoftonline.com/consumers", "https://login.microsoftonline.com/{tenantid}/v2.0", false),
        ("https://login.microsoftonline.com/consumers", "https://login.microsoftonline.com/\(id)/v2.0", false),
        (
            "https://login.microsoftonline.com/organizations", "https://login.microsoftonline.com/\(personal)/v2.0",
            false
        ),
        ("https://login.microsoftonline.com/\(id)", "https://login.microsoftonline.com/\(id)/v2.0", true),
        ("https://login.microsoftonline.com/\(id)", "https://login.microsoftonline.com/\(id.uppercased())/v2.0", true),
        ("https://login.microsoftonline.com/\(id)", "https://login.microsoftonline.com/\(other)/v2.0", false),
        ("https://login.microsoftonline.com/\(id)", "https://login.microsoftonline.com/{tenantid}/v2.0", false),
        ("https://login.microsoftonline.com/contoso.com", "https://login.microsoftonline.com/\(id)/v2.0", true),
        ("https://login.microsoftonline.com/contoso.com", "https://login.microsoftonline.com/fabrikam.com/v2.0", false),
        ("https://login.partner.microsoftonline.cn/\(id)", "https://login.chinacloudapi.cn/\(id)/v2.0", true),
        ("https://x.b2clogin.com/x.onmicrosoft.com/p", "https://x.b2clogin.com/\(id)/v2.0/", true),
        ("https://x.b2clogin.com/tfp/x.onmicrosoft.com/P", "https://x.b2clogin.com/tfp/\(id)/p/v2.0/", true),
        ("https://x.b2clogin.com/tfp/x.onmicrosoft.com/p", "https://x.b2clogin.com/tfp/\(id)/other/v2.0/", false),
        ("https://x.b2clogin.com/x.onmicrosoft.com/p", "https://y.b2clogin.com/\(id)/v2.0/", false),
        ("https://x.b2clogin.com/\(id)/p", "https://x.b2clogin.com/\(other)/v2.0/", false),
        ("https://login.contoso.com/tfp/\(id)/p", "https://login.contoso.com/\(id)/v2.0/", true),
        ("https://x.ciamlogin.com/", "https://\(id).ciamlogin.com/\(id)/v2.0", true),
        ("https://x.ciamlogin.com/", "https://x.ciamlogin.com/\(id)/v2.0", true),
        ("https://x.ciamlogin.com/", "https://\(id).ciamlogin.com/\(other)/v2.0", false),
        ("https://x.ciamlogin.com/\(id)", "https://\(other).ciamlogin.com/\(other)/v2.0", false),
        ("https://x.ciamlogin.com/", "https://y.ciamlogin.com/\(id)/v2.0", false),
        ("https://x.ciamlogin.com/", "https://\(id).ciamlogin.com.evil.example/\(id)/v2.0", false),
        ("https://fs.example/adfs", "https://fs.example/adfs", true),
        ("https://fs.example/adfs", "https://fs.example/adfs/", false),
        ("https://fs.example/adfs", "https://other.example/adfs", false),
        ("https://accounts.google.com", "https://accounts.google.com", true),
        ("https://accounts.google.com", "https://accounts.google.com/", false),
        ("https://idp.example/s/1", "https://idp.example/s/1", true),
        ("https://idp.example/s/1", "https://idp.example/S/1", false),
        ("https://idp.example/s/1", "https://idp.example/s/2", false),
        ("https://idp.example:443/s/1", "https://idp.example/s/1", false),
    ]

    @Test(arguments: issuers) func `an issuer is accepted by the authority's table`(
        _ authority: String,
        _ issuer: String,
        _ isAccepted: Bool
    ) throws {
        #expect(try Authority(authority).accepts(issuer: issuer) == isAccepted)
    }

    @Test(arguments: [
        (
            "https://login.microsoftonline.com/common", "https://login.microsoftonline.com/common/oauth2/v2.0/token",
            true
        ),
        ("https://login.microsoftonline.com/common", "https://login.windows.net/common/oauth2/v2.0/token", true),
        ("https://login.microsoftonline.com/common", "https://login.microsoftonline.us/common/token", false),
        ("https://login.microsoftonline.com/common", "https://login.microsoftonline.com:8443/common/token", false),
        ("https://x.b2clogin.com/t/p", "https://x.b2clogin.com/t/p/oauth2/v2.0/token", true),
        ("https://x.b2clogin.com/t/p", "https://y.b2clogin.com/t/p/oauth2/v2.0/token", false),
        ("https://idp.example/s", "https://idp.example/token", true),
        ("https://idp.example/s", "https://login.idp.example/token", false),
        ("https://idp.example/s", "http://localhost/token", false),
        ("http://localhost:1/s", "http://localhost:1/token", true),
        ("http://localhost:1/s", "http://localhost:2/token", false),
    ])
    func `an endpoint is accepted by the authority's table`(_ authority: String, _ url: String, _ isAccepted: Bool)
        throws
    {
        #expect(try Authority(authority).accepts(endpoint: try WebAddress(url)) == isAccepted)
    }

    @Test func `an issuer's other host is accepted if the application names it`() throws {
        let google = try Authority.openIDConnect(
            issuer: "https://accounts.google.com",
            endpointHosts: ["OAuth2.googleapis.com"]
        )
        #expect(google.accepts(endpoint: try WebAddress("https://oauth2.googleapis.com/token")))
        #expect(!google.accepts(endpoint: try WebAddress("https://www.googleapis.com/token")))
    }
}
