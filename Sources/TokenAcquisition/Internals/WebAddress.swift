// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import Glibc

/// An absolute URL without user information or a fragment, parsed and checked character by character, so that the
/// client connects to the host that it checked.
struct WebAddress: Hashable, Sendable {
    /// `https`, or `http` for a loopback host.
    let scheme: String
    /// In lower case; an IPv6 address in brackets.
    let host: String
    /// Nil for the default port of the scheme.
    let port: UInt16?
    /// Empty, or beginning with a slash, unchanged.
    let path: String
    /// Without the question mark; nil if there is none.
    let query: String?

    enum Flaw: Error, Hashable {
        case malformed
        case scheme
        case userInformation
        case fragment
        case host
        case path
    }

    /// The maximum length of a URL, in bytes.
    static let maximumByteCount = 2048

    init(_ text: String, maximumByteCount: Int = maximumByteCount) throws(Flaw) {
        let bytes = Array(text.utf8)
        guard bytes.count <= maximumByteCount, bytes.allSatisfy(Self.isURLByte),
            let separator = text.firstRange(of: "://")
        else { throw .malformed }
        if text.contains("#") { throw .fragment }
        let scheme = text[..<separator.lowerBound].lowercased()
        var rest = text[separator.upperBound...]
        if let mark = rest.firstIndex(of: "?") {
            query = String(rest[rest.index(after: mark)...])
            rest = rest[..<mark]
        } else {
            query = nil
        }
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        let authority = rest[..<slash]
        if authority.contains("@") { throw .userInformation }
        path = String(rest[slash...])
        guard Self.isPlain(path) else { throw .path }
        guard let (host, port) = Self.hostAndPort(authority) else { throw .host }
        guard scheme == "https" || (scheme == "http" && Self.isLoopback(host)) else { throw .scheme }
        self.scheme = scheme
        self.host = host
        self.port = port == (scheme == "https" ? 443 : 80) ? nil : port
    }

    /// The `https` address of a host that is known to be valid.
    init(host: String) {
        (scheme, self.host, port, path, query) = ("https", host, nil, "", nil)
    }

    private init(scheme: String, host: String, port: UInt16?, path: String) {
        (self.scheme, self.host, self.port, self.path, query) = (scheme, host, port, path, nil)
    }

    /// The same origin with another path, which is known to be valid, and without a query.
    func with(path: String) -> WebAddress { WebAddress(scheme: scheme, host: host, port: port, path: path) }

    /// The host, with the port unless it is the default port of the scheme: an environment, in terms of the cache.
    var authority: String { port.map { "\(host):\($0)" } ?? host }

    /// The scheme, host and port.
    var origin: String { "\(scheme)://\(authority)" }

    var text: String { origin + path + (query.map { "?" + $0 } ?? "") }

    /// The segments of the path, without empty ones.
    var segments: [String] { path.split(separator: "/").map(String.init) }

    /// Parses `host`, `host:port`, `[address]` or `[address]:port`; nil for anything else.
    static func hostAndPort(_ text: Substring) -> (host: String, port: UInt16?)? {
        var host = text
        var digits: Substring?
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = text[...end]
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.first == ":" else { return nil }
            digits = rest.isEmpty ? nil : rest.dropFirst()
        } else if let colon = text.firstIndex(of: ":") {
            host = text[..<colon]
            digits = text[text.index(after: colon)...]
        }
        let folded = host.lowercased()
        guard folded.hasPrefix("[") ? isIPv6(folded) : isName(folded) else { return nil }
        guard let digits else { return (folded, nil) }
        guard digits.utf8.allSatisfy(ASCII.isDigit), let port = UInt16(digits), port > 0 else { return nil }
        return (folded, port)
    }

    /// Whether a host is a name of letters, digits, hyphens and underscores, or an IPv4 address. International names
    /// have to be given in the form that certificates use (`xn--…`).
    private static func isName(_ host: String) -> Bool {
        guard host.utf8.count <= 253 else { return false }
        return host.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
            !label.isEmpty
                && label.utf8.allSatisfy { byte in
                    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || ASCII.isDigit(byte)
                        || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
                }
        }
    }

    private static func isIPv6(_ host: String) -> Bool {
        let inner = host.dropFirst().dropLast()
        return inner.contains(":") && inner.allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
    }

    static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "[::1]" { return true }
        return host.hasPrefix("127.") && isIPv4(host)
    }

    /// Whether a host is this machine in any form that a resolver accepts, such as `127.1`, `0.0.0.0`,
    /// `[::ffff:127.0.0.1]` and `name.localhost`. What a name resolves to otherwise is not known here.
    var isThisMachine: Bool {
        if Self.isLoopback(host) || host.hasSuffix(".localhost") { return true }
        if host.hasPrefix("[") {
            var address = in6_addr()
            // SAFETY: the call writes one address, and reads a text that Swift ends with a zero.
            guard unsafe inet_pton(AF_INET6, String(host.dropFirst().dropLast()), &address) == 1 else { return false }
            // SAFETY: every byte of the structure is a part of the address.
            let bytes = unsafe withUnsafeBytes(of: address) { unsafe Array($0) }
            // Behind 96 bits of this kind stands an IPv4 address; `::` and `::1` are like `0.0.0.0` and `0.0.0.1`.
            guard bytes[..<10].allSatisfy({ $0 == 0 }), [[0, 0], [255, 255]].contains(bytes[10..<12]) else {
                return false
            }
            return [0, 127].contains(bytes[12])
        }
        var address = in_addr()
        // SAFETY: the call writes one address, and reads a text that Swift ends with a zero.
        guard unsafe inet_aton(host, &address) != 0 else { return false }
        return [0, 127].contains(UInt32(bigEndian: address.s_addr) >> 24)
    }

    /// Whether a host is four numbers with dots between them.
    static func isIPv4(_ host: String) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil && $0.utf8.allSatisfy(ASCII.isDigit) }
    }

    /// Printable ASCII except characters that no URL contains, and except the backslash, which some parsers treat as a
    /// slash.
    private static func isURLByte(_ byte: UInt8) -> Bool {
        guard (0x21...0x7E).contains(byte) else { return false }
        return !Array("\"<>\\^`{|}".utf8).contains(byte)
    }

    /// Whether no segment is a dot segment, or contains an escape that a server may decode to a dot or a slash.
    private static func isPlain(_ path: String) -> Bool {
        let lowered = path.lowercased()
        if ["%2e", "%2f", "%5c", "%00"].contains(where: { lowered.contains($0) }) { return false }
        return !path.split(separator: "/", omittingEmptySubsequences: false).contains { $0 == "." || $0 == ".." }
    }
}
