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
                throw TransportError(.tlsFailed, mayHaveBeenSent: false)
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
