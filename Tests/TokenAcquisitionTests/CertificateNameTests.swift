// SPDX-License-Identifier: Apache-2.0

import Testing
import TokenAcquisition

@Suite struct CertificateNameTests {
    @Test(arguments: [
        ("idp.example", "idp.example", true), ("IDP.Example.", "idp.example", true),
        ("idp.example", "IDP.example.", true),
        ("*.example.com", "idp.example.com", true), ("*.example.com", "a.idp.example.com", false),
        ("*.example.com", "example.com", false), ("*.example.com", ".example.com", false),
        ("*.com", "example.com", false),
        ("*", "example", false), ("i*.example.com", "idp.example.com", false), ("*.*.com", "a.b.com", false),
        ("idp.example", "evil-idp.example", false), ("idp.example\0.evil.example", "idp.example", false),
        ("", "", false), ("*.", "a.", false),
    ])
    func `a certificate names a host, or all hosts one label below`(name: String, host: String, matches: Bool) {
        #expect(CertificateName(name.utf8).matches(host) == matches)
    }
}
