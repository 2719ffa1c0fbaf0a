// SPDX-License-Identifier: Apache-2.0

#if SignIn
internal import NIOCore
internal import NIOSSL

/// Requires the name of the host in the certificate of each connection.
///
/// NIOSSL takes a certificate that holds the address of the connection's other end for one of the host. That is the address of
/// a proxy, or of whatever a forged answer to a name lookup leads to, and certificates for addresses are to be had.
enum ServerIdentity {
    /// Fails for a connection whose certificate does not name `host`. It is called after the TLS handshake, and before
    /// anything is sent.
    static func check(_ channel: any Channel, host: String) -> EventLoopFuture<Void> {
        let checked = channel.nioSSL_peerCertificate().flatMapThrowing { certificate in
            guard let certificate, names(certificate).contains(where: { $0.matches(host) }) else {
                throw TransportError(.tlsFailed, mayHaveBeenSent: false)
            }
        }
        // Nobody else closes it. Not now: first the client has to learn that it did not get this connection.
        checked.whenFailure { _ in channel.eventLoop.execute { channel.close(promise: nil) } }
        return checked
    }

    private static func names(_ certificate: NIOSSLCertificate) -> [CertificateName] {
        certificate._subjectAlternativeNames().filter { $0.nameType == .dnsName }.map { CertificateName($0.contents) }
    }
}
#endif
