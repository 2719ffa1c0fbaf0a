// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// An address that a caller requested from MSAL for ObjC, or the one to which it resolved: host and tenant.
package struct AuthorityAddress: Hashable, Sendable {
    /// Folded, with the port if one is given.
    package let host: UTF8Text
    /// The path without leading and trailing slashes: a tenant, followed by a policy on some hosts.
    package let tenant: UTF8Text

    package init(host: UTF8Text, tenant: UTF8Text) {
        self.host = host.normalized()
        self.tenant = tenant.trimmed()
    }

    /// Nil if `url` is not the address of an authority, for example because it has no path.
    package init?(_ url: UTF8Text) {
        let text = url.trimmed().string
        guard let scheme = text.firstPlace(of: "://"), text[..<scheme.lowerBound].lowercased() == "https" else {
            return nil
        }
        let rest = text[scheme.upperBound...].prefix { $0 != "?" && $0 != "#" }
        let parts = rest.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !parts[0].contains("@") else { return nil }
        var path = parts[1]
        while path.hasPrefix("/") { path.removeFirst() }
        while path.hasSuffix("/") { path.removeLast() }
        guard !path.isEmpty else { return nil }
        self.init(host: UTF8Text(String(parts[0])), tenant: UTF8Text(String(path)))
    }

    /// The URL as that SDK writes it.
    package var url: UTF8Text { UTF8Text("https://\(host.string)/\(tenant.string)") }
}
