// SPDX-License-Identifier: Apache-2.0

/// The server that a URL names, if it is one that a transport may send to: `https`, or `http` on this machine.
package struct RequestTarget: Hashable, Sendable {
    /// Whether the scheme is `https`.
    package let isSecure: Bool
    /// The host in lower case, an IPv6 address without brackets.
    package let host: String
    /// The port; the default port of the scheme if the URL has none.
    package let port: Int
    /// Whether the host can only be this machine.
    package let isLoopback: Bool

    /// The target of `url`, of any length; nil if it has none.
    package init?(_ url: String) {
        guard let address = try? WebAddress(url, maximumByteCount: .max) else { return nil }
        isSecure = address.scheme == "https"
        host = Self.withoutBrackets(address.host)
        port = address.port.map(Int.init) ?? (isSecure ? 443 : 80)
        isLoopback = WebAddress.isLoopback(address.host)
    }

    /// Parses `host`, `host:port`, `[address]` or `[address]:port`. The host has no brackets.
    static func hostAndPort(_ text: Substring) -> (host: String, port: Int?)? {
        WebAddress.hostAndPort(text).map { (withoutBrackets($0.host), $0.port.map(Int.init)) }
    }

    /// Parses what variables name: like ``hostAndPort(_:)``, but a name may end with a dot, as in DNS, which is removed.
    static func namedHostAndPort(_ text: Substring) -> (host: String, port: Int?)? {
        let name = text.prefix { $0 != ":" }
        return hostAndPort(name.last == "." ? name.dropLast() + text[name.endIndex...] : text)
    }

    private static func withoutBrackets(_ host: String) -> String {
        host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    }

    /// Whether `host` is an address rather than a name.
    static func isAddress(_ host: String) -> Bool { host.contains(":") || WebAddress.isIPv4(host) }
}
