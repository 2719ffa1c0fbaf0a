// SPDX-License-Identifier: Apache-2.0

import Testing
import UnifiedSchema

@Suite("Addresses of authorities")
struct AuthorityAddressTests {
    @Test(
        "are read as host and tenant",
        arguments: [
            ("https://login.microsoftonline.com/Contoso.com", "login.microsoftonline.com", "Contoso.com"),
            (" HTTPS://Login.microsoftonline.com/contoso/ ", "login.microsoftonline.com", "contoso"),
            ("https://h:8443/a/b2c_1_x?p=1#f", "h:8443", "a/b2c_1_x"), ("https://h//a//", "h", "a"),
        ]
    )
    func read(text: String, host: String, tenant: String) throws {
        let address = try #require(AuthorityAddress(UTF8Text(text)))
        #expect(address.host.string == host)
        #expect(address.tenant.string == tenant)
        #expect(AuthorityAddress(address.url) == address)
    }

    @Test(
        "are nothing else",
        arguments: [
            "", "h/a", "http://h/a", "https://h", "https://h/", "https:///a", "https://u@h/a", "://h/a", "https:/h/a",
        ]
    )
    func refused(text: String) {
        #expect(AuthorityAddress(UTF8Text(text)) == nil)
    }

    @Test("texts for a tenant are folded; words, blanks and endless ones are none")
    func names() {
        #expect(TenantName.comparable(" Contoso.COM ") == "contoso.com")
        for text in ["", " ", "common", "Organizations", "CONSUMERS", String(repeating: "x", count: 513)] {
            #expect(TenantName.comparable(UTF8Text(text)) == nil)
        }
    }
}
