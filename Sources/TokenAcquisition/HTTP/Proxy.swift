// SPDX-License-Identifier: Apache-2.0

/// A proxy that connects clients to servers. Its description contains no credentials.
package struct Proxy: Hashable, Sendable {
    /// How a client requests a connection.
    package enum Kind: Hashable, Sendable {
        /// With an HTTP request of the method `CONNECT`.
        case connect
        /// With SOCKS 5; the proxy resolves the name of the host.
        case socks
    }

    /// The client's credentials for the proxy.
    package struct Credentials: Hashable, Sendable {
        package let username: String
        package let password: String
    }

    package let kind: Kind
    package let host: String
    package let port: Int
    package let credentials: Credentials?

    /// Parses `[scheme://][username[:password]@]host[:port][/]`, where the scheme is `http`, `socks5` or `socks5h`.
    ///
    /// Nil for anything else, so that no request bypasses a proxy that was configured.
    package init?(_ text: String) {
        var rest = text[...]
        var kind = Kind.connect
        if let separator = text.firstRange(of: "://") {
            switch text[..<separator.lowerBound].lowercased() {
            case "http": kind = .connect
            case "socks5", "socks5h": kind = .socks
            default: return nil
            }
            rest = text[separator.upperBound...]
        }
        if rest.last == "/" { rest.removeLast() }
        var credentials: Credentials?
        if let at = rest.lastIndex(of: "@") {
            let parts = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard let username = FormParameters.percentDecoded(parts[0].utf8),
                let password = parts.count == 2 ? FormParameters.percentDecoded(parts[1].utf8) : ""
            else { return nil }
            credentials = Credentials(username: username, password: password)
            rest = rest[rest.index(after: at)...]
        }
        // The client cannot authenticate to a SOCKS proxy.
        guard kind == .connect || credentials == nil, let (host, port) = RequestTarget.namedHostAndPort(rest) else {
            return nil
        }
        self.kind = kind
        self.host = host
        self.port = port ?? (kind == .connect ? 80 : 1080)
        self.credentials = credentials
    }
}

extension Proxy: CustomStringConvertible, CustomReflectable {
    /// The host and the port.
    package var description: String { "\(host):\(port)" }

    /// No children, because credentials are secret.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
