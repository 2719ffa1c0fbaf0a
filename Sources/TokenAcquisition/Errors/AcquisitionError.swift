// SPDX-License-Identifier: Apache-2.0

public import TokenCaching

/// The reason that a request got no token.
///
/// Contains no tokens or usernames, and never the server's `error_description`, which contains usernames.
public struct AcquisitionError: Error, Sendable {
    private let contents: Contents

    /// Creates an error: for tests, and for applications that report errors of their own in the same way.
    ///
    /// - Parameter code: what went wrong.
    public init(_ code: Code) {
        self.init(code, detail: nil)
    }

    /// Creates an error from a server's response: for a ``Broker``, a ``Browser`` or a ``RedirectListener``.
    ///
    /// - Parameters:
    ///   - code: what went wrong.
    ///   - errorResponse: the response. Determines ``claimsToRequest`` and ``retryAfter``.
    public init(_ code: Code, errorResponse: TokenErrorResponse) {
        self.init(code) { facts in
            facts.errorResponse = errorResponse
            facts.retryAfter = errorResponse.retryAfter
        }
    }

    init(_ code: Code, detail: String? = nil, _ change: (inout Facts) -> Void = { _ in }) {
        var facts = Facts(code: code, detail: detail)
        change(&facts)
        contents = Contents(facts)
    }

    /// The values of the error, stored separately so that throwing it costs little.
    struct Facts: Sendable {
        let code: Code
        let detail: String?
        var reason: InteractionReason?
        var errorResponse: TokenErrorResponse?
        var grantedScopes: [String] = []
        var declinedScopes: [String] = []
        var result: AuthenticationResult?
        var retryAfter: Duration?
        var correlationID: CorrelationID?
        var processID: Int32?
        var cacheError: TokenCacheError?
        var transportError: TransportError?
    }

    private final class Contents: Sendable {
        let facts: Facts

        init(_ facts: Facts) {
            self.facts = facts
        }
    }

    var facts: Facts { contents.facts }

    /// What went wrong.
    public var code: Code { facts.code }

    /// Why interaction is required; set for ``Code/interactionRequired``, if it is known.
    public var reason: InteractionReason? { facts.reason }

    /// The server's error response, if that caused the error.
    public var errorResponse: TokenErrorResponse? { facts.errorResponse }

    /// The granted scopes; for ``Code/scopesDeclined``.
    public var grantedScopes: [String] { facts.grantedScopes }

    /// The requested scopes that were not granted; for ``Code/scopesDeclined``.
    public var declinedScopes: [String] { facts.declinedScopes }

    /// The token for the granted scopes; for ``Code/scopesDeclined``.
    public var result: AuthenticationResult? { facts.result }

    /// How long to wait before the next request to the server; for ``Code/throttled`` and ``Code/serverUnavailable``.
    public var retryAfter: Duration? { facts.retryAfter }

    /// The correlation id of the request, by which the server's operator finds it; nil if nothing was sent.
    public var correlationID: CorrelationID? { facts.correlationID }

    /// The process that is asking the user, which may have been stopped; for ``Code/interactionBusy``, if it is known.
    public var processID: Int32? { facts.processID }

    /// The cache's error; for ``Code/cacheFailed``.
    public var cacheError: TokenCacheError? { facts.cacheError }

    /// The transport's error; for ``Code/networkFailed``.
    public var transportError: TransportError? { facts.transportError }

    /// The claims that the server requires: sign in with them. Nil if it requires none.
    public var claimsToRequest: ClaimsRequest? {
        errorResponse?.claims.flatMap { try? ClaimsRequest(json: $0) }
    }
}

extension AcquisitionError: Hashable {
    /// Whether two errors are equal in everything except ``result`` and ``correlationID``.
    public static func == (left: AcquisitionError, right: AcquisitionError) -> Bool {
        let (left, right) = (left.facts, right.facts)
        return left.code == right.code && left.detail == right.detail && left.reason == right.reason
            && left.errorResponse == right.errorResponse && left.grantedScopes == right.grantedScopes
            && left.declinedScopes == right.declinedScopes && left.retryAfter == right.retryAfter
            && left.processID == right.processID && left.cacheError == right.cacheError
            && left.transportError == right.transportError
    }

    /// Hashes the code and the reason.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(reason)
    }
}

extension AcquisitionError: CustomStringConvertible, CustomReflectable {
    /// A sentence that says what happened, and one that says what to do.
    public var description: String {
        let (happened, advice) = code.texts
        var findings = [facts.detail, reason?.description].compactMap { $0 }
        if let processID { findings.append("process \(processID)") }
        if let errorResponse { findings.append(errorResponse.brief) }
        if let transportError { findings.append(transportError.description) }
        if let cacheError { findings.append(cacheError.code.description) }
        let retry = retryAfter.map { " Wait \($0.components.seconds) seconds." } ?? ""
        return happened + (findings.isEmpty ? "" : " (" + findings.joined(separator: "; ") + ")")
            + ". \(advice).\(retry)"
    }

    /// No children: only the description is safe to show.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension TokenErrorResponse {
    /// The error codes, if they are well-formed, and the status.
    fileprivate var brief: String {
        let numbers = errorCodes.isEmpty ? [] : ["AADSTS" + errorCodes.map(String.init).joined(separator: ", ")]
        let own = description.dropFirst("TokenErrorResponse(".count).dropLast()
        return ([String(own)] + numbers).filter { !$0.isEmpty }.joined(separator: ", ")
    }
}
