// SPDX-License-Identifier: Apache-2.0

#if SignIn
internal import ByteOperations
internal import Sealing

/// A redirect URI with a private-use scheme (RFC 8252, section 7.1), such as `com.example.app:/PATH`.
struct CustomSchemeAddress: Hashable, Sendable {
    /// In lower case: browsers and desktops compare it so.
    let scheme: String
    /// What follows the scheme, from the colon on.
    let rest: String

    private static let longest = 1024

    /// - Throws: `configurationRejected`.
    init(_ uri: String) throws(AcquisitionError) {
        guard uri.utf8.count <= Self.longest, let (scheme, rest) = Self.parts(of: uri), rest.hasPrefix(":/"),
            rest.dropFirst().utf8.allSatisfy(Self.isPlain)
        else {
            throw AcquisitionError(
                .configurationRejected,
                detail: """
                    the redirect URI is not of the form com.example.app:/PATH or com.example.app://HOST/PATH, with a dot in \
                    the scheme
                    """
            )
        }
        (self.scheme, self.rest) = (scheme, String(rest))
    }

    /// The scheme of a URL in lower case, and what follows it. Only a scheme with a dot counts: one that is made of a
    /// domain name is the application's own, and nothing that browsers do by themselves has such a scheme.
    static func parts(of url: String) -> (scheme: String, rest: Substring)? {
        let scheme = url.prefix { $0 != ":" }
        guard scheme.contains("."), let first = scheme.utf8.first, isLetter(first),
            scheme.utf8.allSatisfy({ isLetter($0) || $0 &- 0x30 < 10 || "+-.".utf8.contains($0) })
        else { return nil }
        return (scheme.lowercased(), url[scheme.endIndex...])
    }

    /// The query of a URL that leads here; nil if it leads elsewhere. What follows a number sign is left out, as a browser
    /// leaves it out for a server.
    func query(of url: String) -> [UInt8]? {
        guard let (scheme, rest) = Self.parts(of: url), scheme == self.scheme else { return nil }
        let parts = rest.prefix { $0 != "#" }.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts[0] == self.rest else { return nil }
        return parts.count > 1 ? Array(parts[1].utf8) : []
    }

    /// How the names of the sockets begin at which processes wait for a scheme.
    static func socketPrefix(of scheme: String) -> String {
        Base64URL.encode(SHA256Digest.of(scheme.rawSpan)).prefix(16) + "."
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }

    private static func isPlain(_ byte: UInt8) -> Bool {
        isLetter(byte) || byte &- 0x30 < 10 || "/-._~".utf8.contains(byte)
    }
}
#endif
