// SPDX-License-Identifier: Apache-2.0

/// A server's name in its certificate: a subject alternative name of type `dNSName`.
package struct CertificateName {
    private let text: Substring

    package init(_ bytes: some Sequence<UInt8>) {
        text = Self.withoutFinalDot(String(decoding: Array(bytes), as: UTF8.self).lowercased())
    }

    /// Whether this name in a certificate is valid for a server named `host` (RFC 9525, section 6.3). A wildcard stands
    /// for the whole first label, and at least two labels must follow it.
    package func matches(_ host: String) -> Bool {
        let host = Self.withoutFinalDot(host.lowercased())
        guard !host.isEmpty, host.utf8.allSatisfy({ $0 < 0x80 }) else { return false }
        guard text.hasPrefix("*.") else { return !text.contains("*") && text == host }
        let domain = text.dropFirst(2)
        guard domain.contains("."), !domain.contains("*"), let dot = host.firstIndex(of: ".") else { return false }
        return dot > host.startIndex && host[host.index(after: dot)...] == domain
    }

    private static func withoutFinalDot(_ name: String) -> Substring {
        name.last == "." ? name.dropLast() : name[...]
    }
}
