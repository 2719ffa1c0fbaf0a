// SPDX-License-Identifier: Apache-2.0

#if SignIn
/// A redirect URI on this machine (RFC 8252, section 7.3).
struct LoopbackAddress: Hashable, Sendable {
    /// The host as in the `Host` header: an IPv6 address in brackets.
    let host: String
    /// Nil for any free port.
    let port: Int?
    /// The path from the first slash on, or empty.
    let path: String

    init(host: String, port: Int?, path: String) {
        (self.host, self.port, self.path) = (host, port, path)
    }

    /// - Throws: `configurationRejected`.
    init(_ uri: String) throws(AcquisitionError) {
        let scheme = "http://"
        guard uri.lowercased().hasPrefix(scheme), let address = Self.parsed(uri.dropFirst(scheme.count)) else {
            throw AcquisitionError(
                .configurationRejected,
                detail: """
                    the redirect URI is not of the form http://localhost, http://localhost:PORT/PATH, http://127.0.0.1 \
                    or http://[::1]
                    """
            )
        }
        self = address
    }

    private static func parsed(_ rest: Substring) -> LoopbackAddress? {
        let authority = rest.prefix { $0 != "/" }
        let path = String(rest[authority.endIndex...])
        let isPlain = path.utf8.allSatisfy { byte in
            (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10 || "/-._~".utf8.contains(byte)
        }
        guard isPlain, let (name, port) = RequestTarget.hostAndPort(authority) else { return nil }
        guard let host = ["localhost": "localhost", "127.0.0.1": "127.0.0.1", "::1": "[::1]"][name] else { return nil }
        return LoopbackAddress(host: host, port: port, path: path)
    }

    /// The addresses to listen on. A browser may use either address for `localhost`.
    var addresses: [String] {
        switch host {
        case "127.0.0.1": ["127.0.0.1"]
        case "[::1]": ["::1"]
        default: ["127.0.0.1", "::1"]
        }
    }

    /// The origin of all URLs at a port.
    func origin(port: Int) -> String { "http://\(host):\(port)" }
}
#endif
