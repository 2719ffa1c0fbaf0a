// SPDX-License-Identifier: Apache-2.0

#if SignIn
internal import NIOCore
internal import NIOSSL

/// Requires each connection's certificate to name the host.
///
/// NIOSSL accepts a certificate that contains the IP address of the connection's peer instead of the host's name. That
/// is the address of a proxy, or of any machine that a forged DNS response names, and certificates for addresses are
/// available.
enum ServerIdentity {
    /// Fails for a connection whose certificate does not name `host`. Called after the TLS handshake, before anything
    /// is sent.
    static func check(_ channel: any Channel, host: String) -> EventLoopFuture<Void> {
        let checked = channel.nioSSL_peerCertificate().flatMapThrowing { certificate in
            guard let certificate, names(certificate).contains(where: { $0.matches(host) }) else {
                throw TransportError(.certificateOfOtherHost, mayHaveBeenSent: false)
            }
        }
        // No other code closes it. Close it in a later event, because the client first has to learn that it did not get
        // this connection.
        checked.whenFailure { _ in channel.eventLoop.execute { channel.close(promise: nil) } }
        return checked
    }

    private static func names(_ certificate: NIOSSLCertificate) -> [CertificateName] {
        certificate._subjectAlternativeNames().filter { $0.nameType == .dnsName }.map { CertificateName($0.contents) }
    }
}
#endif

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
