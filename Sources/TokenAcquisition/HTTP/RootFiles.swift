// SPDX-License-Identifier: Apache-2.0

#if SignIn
internal import Glibc
internal import NIOSSL

/// Files and folders with the root certificates that a transport accepts.
struct RootFiles: Sendable {
    /// The file whose certificates replace the system's; nil for none.
    private let file: String?
    /// The folders whose certificates replace the system's.
    private let folders: [String]
    /// Files whose certificates are accepted as well.
    private let additions: [String]

    init(environment: [String: String], additions: [String]) {
        file = environment["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : $0 }
        folders = (environment["SSL_CERT_DIR"] ?? "").split(separator: ":").map(String.init)
        self.additions = additions
    }

    /// Whether only the system's certificates are accepted.
    var areSystemRoots: Bool { file == nil && folders.isEmpty && additions.isEmpty }

    /// The file and the folders that replace the system's certificates, with the variables that name them; nil for none.
    var replacement: String? {
        let names = (file.map { ["\($0) (SSL_CERT_FILE)"] } ?? []) + folders.map { "\($0) (SSL_CERT_DIR)" }
        return names.isEmpty ? nil : names.joined(separator: " or ")
    }

    /// The TLS configuration of a client.
    ///
    /// - Throws: `rootsUnreadable`.
    func tlsConfiguration() throws(TransportError) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        if file != nil || !folders.isEmpty {
            var roots: [NIOSSLCertificate] = []
            if let file { roots += try Self.certificates(in: file, named: "\(file) (SSL_CERT_FILE)") }
            for folder in folders { roots += Self.certificates(inFolder: folder) }
            guard !roots.isEmpty else { throw TransportError(.rootsUnreadable, mayHaveBeenSent: false) }
            configuration.trustRoots = .certificates(roots)
        }
        for file in additions {
            configuration.additionalTrustRoots.append(.certificates(try Self.certificates(in: file, named: file)))
        }
        return configuration
    }

    private static func certificates(
        in file: String,
        named name: String
    ) throws(TransportError) -> [NIOSSLCertificate] {
        guard let certificates = try? NIOSSLCertificate.fromPEMFile(file), !certificates.isEmpty else {
            var error = TransportError(.rootsUnreadable, mayHaveBeenSent: false)
            error.roots = name
            throw error
        }
        return certificates
    }

    /// The certificates of all files in a folder, whatever their names. Other files are skipped.
    private static func certificates(inFolder path: String) -> [NIOSSLCertificate] {
        // SAFETY: the folder is read and closed here, and each name is copied before the next call.
        guard let folder = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(folder) }
        var found: [NIOSSLCertificate] = []
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            // A FIFO would block.
            guard !name.hasPrefix("."), isRegularFile("\(path)/\(name)") else { continue }
            if let own = try? NIOSSLCertificate.fromPEMFile("\(path)/\(name)") { found += own }
        }
        return found
    }

    private static func isRegularFile(_ path: String) -> Bool {
        // SAFETY: the path is a C string, and the result is written, for the duration of the call.
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
}
#endif
