// SPDX-License-Identifier: Apache-2.0

/// The server that a URL names. Only a URL that every parser reads alike has a target: absolute, `http` or `https`, in
/// characters of RFC 3986, without user information and fragment.
package struct RequestTarget: Hashable, Sendable {
    /// Whether the scheme is `https`.
    package let isSecure: Bool
    /// The host in lower case, an IPv6 address without brackets.
    package let host: String
    /// The port; the default port of the scheme if the URL has none.
    package let port: Int

    /// Whether the host can only be this machine.
    package var isLoopback: Bool {
        host == "localhost" || host == "::1" || (host.hasPrefix("127.") && Self.isIPv4Address(host))
    }

    /// The target of `url`; nil if it has none.
    package init?(_ url: String) {
        guard url.utf8.allSatisfy(Self.isURLCharacter) else { return nil }
        let rest: Substring
        if let secure = url.dropping(prefix: "https://") {
            (isSecure, rest) = (true, secure)
        } else if let plain = url.dropping(prefix: "http://") {
            (isSecure, rest) = (false, plain)
        } else {
            return nil
        }
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard let (host, port) = Self.hostAndPort(authority) else { return nil }
        self.host = host
        self.port = port ?? (isSecure ? 443 : 80)
    }

    /// Parses `host`, `host:port`, `[address]` or `[address]:port`.
    static func hostAndPort(_ text: Substring) -> (host: String, port: Int?)? {
        let host: Substring
        let rest: Substring
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = text[text.index(after: text.startIndex)..<end]
            rest = text[text.index(after: end)...]
            guard host.contains(":"), host.utf8.allSatisfy(isIPv6Character) else { return nil }
        } else {
            host = text.prefix { $0 != ":" }
            rest = text[host.endIndex...]
            guard host.utf8.allSatisfy(isNameCharacter) else { return nil }
        }
        guard !host.isEmpty else { return nil }
        if rest.isEmpty { return (host.lowercased(), nil) }
        let digits = rest.dropFirst()
        guard rest.first == ":", digits.utf8.allSatisfy({ $0 &- 0x30 < 10 }), let port = UInt16(digits), port > 0 else {
            return nil
        }
        return (host.lowercased(), Int(port))
    }

    /// Whether `host` is an address rather than a name.
    static func isAddress(_ host: String) -> Bool { host.contains(":") || isIPv4Address(host) }

    /// Whether `host` is four numbers with dots between them.
    static func isIPv4Address(_ host: String) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil && $0.utf8.allSatisfy { $0 &- 0x30 < 10 } }
    }

    /// The characters of RFC 3986, except the `#` of a fragment.
    private static func isURLCharacter(_ byte: UInt8) -> Bool {
        isNameCharacter(byte) || "~:/?[]@!$&'()*+,;=%".utf8.contains(byte)
    }

    private static func isNameCharacter(_ byte: UInt8) -> Bool {
        byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26 || "-._".utf8.contains(byte)
    }

    private static func isIPv6Character(_ byte: UInt8) -> Bool {
        byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 6 || ":.".utf8.contains(byte)
    }
}

extension String {
    /// Whether a URI has a web scheme, so that a browser sends requests to it.
    var isOfTheWeb: Bool { dropping(prefix: "http://") != nil || dropping(prefix: "https://") != nil }

    /// The text after `prefix`, ignoring the case of ASCII letters; nil if the text does not begin with it.
    func dropping(prefix: String) -> Substring? {
        guard self.prefix(prefix.count).lowercased() == prefix else { return nil }
        return dropFirst(prefix.count)
    }
}
