// SPDX-License-Identifier: Apache-2.0

#if SignIn
internal import NIOSSL

/// Files with the root certificates that a transport accepts.
struct RootFiles: Sendable {
    /// The file whose certificates replace the system's; nil or empty to use the system's.
    let replacement: String?
    /// Files whose certificates are accepted as well.
    let additions: [String]

    /// Whether only the system's certificates are accepted.
    var areSystemRoots: Bool { (replacement ?? "").isEmpty && additions.isEmpty }

    /// The TLS configuration of a client.
    ///
    /// - Throws: `rootsUnreadable`.
    func tlsConfiguration() throws(TransportError) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        if let replacement, !replacement.isEmpty {
            configuration.trustRoots = .certificates(try Self.certificates(in: replacement))
        }
        for file in additions {
            configuration.additionalTrustRoots.append(.certificates(try Self.certificates(in: file)))
        }
        return configuration
    }

    private static func certificates(in file: String) throws(TransportError) -> [NIOSSLCertificate] {
        guard let certificates = try? NIOSSLCertificate.fromPEMFile(file), !certificates.isEmpty else {
            throw TransportError(.rootsUnreadable, mayHaveBeenSent: false)
        }
        return certificates
    }
}
#endif
