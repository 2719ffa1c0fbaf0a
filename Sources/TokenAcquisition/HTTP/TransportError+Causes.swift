// SPDX-License-Identifier: Apache-2.0

#if SignIn
internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL

extension TransportError {
    /// Maps an error of the HTTP client. Uses nothing of its text, which contains hosts and headers.
    init(_ error: any Error, bodyWasSent: Bool, hasBody: Bool) {
        var code = Self.code(of: error, bodyWasSent: bodyWasSent)
        // Before the body was sent, only a proxy can have answered.
        if hasBody, !bodyWasSent, code == .connectionClosed || code == .malformedResponse { code = .connectionFailed }
        let wasConnected = !Self.codesBeforeSending.contains(code)
        self.init(code, mayHaveBeenSent: hasBody ? bodyWasSent : wasConnected)
    }

    /// The errors that end a request before there is a connection, even if nothing else is known.
    private static let codesBeforeSending: Set<Code> = [
        .hostNotFound, .connectionFailed, .certificateRejected, .certificateOfOtherHost, .tlsFailed, .urlRejected,
        .closed,
    ]

    private static func code(of error: any Error, bodyWasSent: Bool) -> Code {
        switch error {
        case is CancellationError: .cancelled
        case let error as TransportError: error.code
        case let error as HTTPClientError: code(of: error)
        case let error as HTTPParserError: error == .invalidEOFState ? .connectionClosed : .malformedResponse
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError: code(ofTLS: error)
        case let error as NIOConnectionError:
            error.connectionErrors.isEmpty ? .hostNotFound : .connectionFailed
        case is SocketAddressError: .hostNotFound
        case let error as ChannelError:
            if case .connectTimeout = error { .timeout } else { interruption(bodyWasSent) }
        default: interruption(bodyWasSent)
        }
    }

    /// BoringSSL tells the reason in the text of its error alone, which contains nothing of the connection.
    private static func code(ofTLS error: any Error) -> Code {
        switch error {
        // The end of a body that ends with the connection, which anybody on the way could have cut off.
        case NIOSSLError.uncleanShutdown: .connectionClosed
        case let error as NIOSSLExtraError where error == .failedToValidateHostname: .certificateOfOtherHost
        case NIOSSLError.unableToValidateCertificate: .certificateOfOtherHost
        case NIOSSLError.handshakeFailed(let reason) where "\(reason)".contains("CERTIFICATE_VERIFY_FAILED"):
            .certificateRejected
        default: .tlsFailed
        }
    }

    private static func interruption(_ bodyWasSent: Bool) -> Code {
        bodyWasSent ? .connectionClosed : .connectionFailed
    }

    private static func code(of error: HTTPClientError) -> Code {
        switch error {
        case .cancelled: .cancelled
        case .alreadyShutdown: .closed
        case .connectTimeout, .tlsHandshakeTimeout, .httpProxyHandshakeTimeout, .socksHandshakeTimeout,
            .getConnectionFromPoolTimeout, .readTimeout, .writeTimeout, .deadlineExceeded:
            .timeout
        case .invalidURL, .emptyHost, .emptyScheme: .urlRejected
        case .remoteConnectionClosed, .uncleanShutdown: .connectionClosed
        case .invalidProxyResponse, .proxyAuthenticationRequired: .connectionFailed
        default: .connectionClosed
        }
    }
}
#endif
