// SPDX-License-Identifier: Apache-2.0

#if SignIn
internal import AsyncHTTPClient
internal import Glibc
internal import NIOCore
internal import NIOSSL
internal import Synchronization

/// Finds out which certificate was rejected, which the TLS library does not tell: connects once more, looks at the
/// certificate, and sends nothing.
enum RejectedCertificate {
    /// Says which certificate a server has, and what is wrong with it; nil if it shows none now.
    static func explanation(
        of code: TransportError.Code,
        _ configuration: HTTPClient.Configuration,
        _ url: String
    ) async -> String? {
        let found = Mutex(String?.none)
        var configuration = configuration
        configuration.tlsConfiguration?.certificateVerification = .none
        configuration.http1_1ConnectionDebugInitializer = { channel in
            channel.nioSSL_peerCertificate().flatMapThrowing { certificate in
                found.withLock { $0 = certificate.map { text($0, code) } }
                // Nothing may be sent to such a server.
                throw TransportError(code, mayHaveBeenSent: false)
            }
        }
        let client = HTTPClient(eventLoopGroupProvider: .shared(HTTPClients.group), configuration: configuration)
        _ = try? await client.execute(HTTPClientRequest(url: url), timeout: .seconds(2))
        try? await client.shutdown()
        return found.withLock { $0 }
    }

    private static func text(_ certificate: NIOSSLCertificate, _ code: TransportError.Code) -> String {
        let names = certificate._subjectAlternativeNames().compactMap { name -> String? in
            if name.nameType == .dnsName { return String(decoding: name.contents, as: UTF8.self) }
            guard name.nameType == .ipAddress, name.contents.count == 4 else { return nil }
            return name.contents.map { (byte: UInt8) in "\(byte)" }.joined(separator: ".")
        }.prefix(4).filter { $0.utf8.allSatisfy { (0x21...0x7E).contains($0) } }
        let shown = names.joined(separator: " and ")
        if code == .certificateOfOtherHost {
            return "The server's certificate is for another host: it names " + (names.isEmpty ? "no host" : shown)
        }
        let subject = "The server's certificate" + (names.isEmpty ? "" : ", for \(shown),")
        let now = time(nil)
        if now > certificate.notValidAfter { return "\(subject) expired on \(day(certificate.notValidAfter))" }
        if now < certificate.notValidBefore {
            return "\(subject) is valid from \(day(certificate.notValidBefore)) only"
        }
        return
            "\(subject) leads to no root certificate that is trusted here, or the server does not send what is in between"
    }

    private static func day(_ moment: time_t) -> String {
        // SAFETY: both are read and written for the duration of the call; the fields are numbers.
        var (moment, parts) = unsafe (moment, tm())
        _ = unsafe gmtime_r(&moment, &parts)
        let (year, month, day) = unsafe (parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday)
        return "\(year)-\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day)"
    }
}
#endif
