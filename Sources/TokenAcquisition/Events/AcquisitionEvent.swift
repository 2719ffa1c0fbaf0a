// SPDX-License-Identifier: Apache-2.0

/// A request to a server, or a call of a client, for logs and metrics: how long it took, and how it failed.
///
/// An event holds no content: no token, code, claim, name, hint, scope or URL, and nothing of the server's
/// `error_description`. It may be written to any log. Requests and calls that belong together have the same id, which
/// servers of Microsoft's log too.
///
/// ```swift
/// var services = services
/// services.onEvent = { event in print("sign-in: \(event)") }
/// ```
///
/// A silent request that the cache satisfies makes no event.
public struct AcquisitionEvent: Hashable, Sendable {
    /// What it is of.
    public let kind: Kind

    /// The id of the call that it belongs to; nil for requests for metadata, which calls share.
    public let correlationID: CorrelationID?

    /// How long it took, with all waiting: for the network, for another process that renewed, for the user.
    public let duration: Duration

    /// The status of the response, for ``Kind/request``; nil if there was none, and for calls.
    public let status: Int?

    /// The code of the error; nil if there was none. A response with an error is none for ``Kind/request``: the call says
    /// what it means.
    public let errorCode: AcquisitionError.Code?

    /// What an event is of. Later versions may add kinds.
    public struct Kind: Hashable, Sendable {
        /// The name, such as `silent`: stable across versions and suitable for programs.
        public let name: String

        /// One HTTP request.
        public static let request = Self(name: "request")

        /// ``PublicClient/acquireTokenSilent(_:)-(SilentRequest)`` without a valid token in the cache.
        public static let silent = Self(name: "silent")

        /// A renewal in the background of a token that is still valid.
        public static let backgroundRenewal = Self(name: "backgroundRenewal")

        /// ``PublicClient/acquireToken(_:)``
        public static let interactive = Self(name: "interactive")

        /// An authorization response was accepted although the listener could not find out which user sent it, as behind
        /// the relay of WSL or of a container. It has no duration.
        public static let redirectFromUnknownSender = Self(name: "redirectFromUnknownSender")

        /// ``PublicClient/acquireToken(_:prompting:)``
        public static let deviceCode = Self(name: "deviceCode")

        /// ``PublicClient/acquireToken(redeeming:_:)``
        public static let migration = Self(name: "migration")

        /// ``PublicClient/signOut(_:_:)``
        public static let signOut = Self(name: "signOut")
    }
}

extension AcquisitionEvent: CustomStringConvertible {
    /// The kind, the status, the error, the duration and the id. Never content.
    public var description: String {
        let outcome = [status.map { " \($0)" }, errorCode.map { " failed: \($0)" }].compactMap { $0 }.joined()
        return "\(kind.name)\(outcome) (\(duration))" + (correlationID.map { " \($0)" } ?? "")
    }
}

extension AcquisitionEvent.Kind: CustomStringConvertible {
    /// The same as ``name``.
    public var description: String { name }
}
