// SPDX-License-Identifier: Apache-2.0

/// A request to a server or a call of a client, with its duration and error, for logs and metrics.
///
/// An event contains no token, code, claim, username, hint, scope or URL, and nothing of the server's
/// `error_description`, so it may be written to any log. Requests and calls that belong together have the same
/// correlation id, which Microsoft's servers log too.
///
/// ```swift
/// var services = services
/// services.onEvent = { event in print("sign-in: \(event)") }
/// ```
///
/// A silent request that the cache satisfies causes no event.
public struct AcquisitionEvent: Hashable, Sendable {
    /// The kind of request or call.
    public let kind: Kind

    /// The correlation id of the call; nil for requests for metadata, which several calls share.
    public let correlationID: CorrelationID?

    /// The duration, including all waiting: for the network, for another process that renewed, and for the user.
    public let duration: Duration

    /// The status of the response, for ``Kind/request``; nil if there was none, and for calls.
    public let status: Int?

    /// The code of the error; nil if there was none. For ``Kind/request``, a response with an error status is not an
    /// error: the event of the call says what the response means.
    public let errorCode: AcquisitionError.Code?

    /// Creates an event, for tests of an event handler.
    ///
    /// - Parameters:
    ///   - kind: the kind of request or call.
    ///   - correlationID: the correlation id of the call; nil for none.
    ///   - duration: the duration.
    ///   - status: the status of the response; nil if there was none.
    ///   - errorCode: the code of the error; nil if there was none.
    public init(
        kind: Kind,
        correlationID: CorrelationID? = nil,
        duration: Duration = .zero,
        status: Int? = nil,
        errorCode: AcquisitionError.Code? = nil
    ) {
        self.kind = kind
        self.correlationID = correlationID
        self.duration = duration
        self.status = status
        self.errorCode = errorCode
    }

    /// The kind of an event. Later versions may add kinds.
    public struct Kind: Hashable, Sendable {
        /// The name, such as `silent`: stable across versions and suitable for programs.
        public let name: String

        /// Creates a kind, for tests of an event handler with a kind that it does not know.
        ///
        /// - Parameter name: the name.
        public init(name: String) {
            self.name = name
        }

        /// One HTTP request.
        public static let request = Self(name: "request")

        /// A call of ``PublicClient/acquireTokenSilent(_:)-(SilentRequest)`` that found no valid token in the cache.
        public static let silent = Self(name: "silent")

        /// The end of a renewal or a migration whose caller was cancelled, or timed out, before: without an error, its
        /// tokens are saved.
        public static let abandonedRenewal = Self(name: "abandonedRenewal")

        /// A renewal in the background of a token that is still valid.
        public static let backgroundRenewal = Self(name: "backgroundRenewal")

        /// A call of ``PublicClient/acquireToken(_:)``.
        public static let interactive = Self(name: "interactive")

        /// A call of ``PublicClient/acquireToken(_:prompting:)``.
        public static let deviceCode = Self(name: "deviceCode")

        /// A call of ``PublicClient/acquireToken(_:redeeming:)``.
        public static let migration = Self(name: "migration")

        /// A call of ``PublicClient/acquireApplicationToken(_:)`` that found no valid token in the cache, or one that the
        /// server wants renewed.
        public static let application = Self(name: "application")

        /// A call of ``PublicClient/signOut(_:with:)``.
        public static let signOut = Self(name: "signOut")
    }
}

extension AcquisitionEvent: CustomStringConvertible {
    /// The kind, the status, the error, the duration and the correlation id.
    public var description: String {
        let outcome = [status.map { " \($0)" }, errorCode.map { " failed: \($0)" }].compactMap { $0 }.joined()
        return "\(kind.name)\(outcome) (\(duration))" + (correlationID.map { " \($0)" } ?? "")
    }
}

extension AcquisitionEvent.Kind: CustomStringConvertible {
    /// The same as ``name``.
    public var description: String { name }
}
