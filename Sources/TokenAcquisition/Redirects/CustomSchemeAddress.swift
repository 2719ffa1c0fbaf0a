// SPDX-License-Identifier: Apache-2.0

#if SignIn
internal import ByteOperations
internal import Sealing

/// A redirect URI with a private-use scheme (RFC 8252, section 7.1), such as `com.example.app:/PATH`.
struct CustomSchemeAddress: Hashable, Sendable {
    /// In lower case, because browsers and desktops ignore its case.
    let scheme: String
    /// The part after the scheme, from the colon on.
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

    /// The scheme of a URL in lower case, and the part after it. Only a scheme with a dot is accepted: a scheme made
    /// from a domain name belongs to the application, and browsers handle no such scheme themselves.
    static func parts(of url: String) -> (scheme: String, rest: Substring)? {
        let scheme = url.prefix { $0 != ":" }
        guard scheme.contains("."), let first = scheme.utf8.first, isLetter(first),
            scheme.utf8.allSatisfy({ isLetter($0) || $0 &- 0x30 < 10 || "+-.".utf8.contains($0) })
        else { return nil }
        return (scheme.lowercased(), url[scheme.endIndex...])
    }

    /// The query of a URL that matches this address; nil for any other URL. Ignores the part after a number sign, which
    /// a browser does not send to a server either.
    func query(of url: String) -> [UInt8]? {
        guard let (scheme, rest) = Self.parts(of: url), scheme == self.scheme else { return nil }
        let parts = rest.prefix { $0 != "#" }.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts[0] == self.rest else { return nil }
        return parts.count > 1 ? Array(parts[1].utf8) : []
    }

    /// The prefix of the names of sockets at which processes wait for a scheme.
    static func socketPrefix(of scheme: String) -> String {
        Base64URL.encode(SHA256Digest.of(scheme.rawSpan)).prefix(16) + "."
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }

    private static func isPlain(_ byte: UInt8) -> Bool {
        isLetter(byte) || byte &- 0x30 < 10 || "/-._~".utf8.contains(byte)
    }
}
#endif
