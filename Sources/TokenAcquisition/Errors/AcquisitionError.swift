// SPDX-License-Identifier: Apache-2.0

public import TokenCaching

/// The reason that a request got no token.
///
/// Contains no tokens or usernames, and never the server's `error_description`, which contains usernames. Only
/// ``underlying``, here and in ``transportError``, may have any content.
public struct AcquisitionError: Error, Sendable {
    private let contents: Contents

    /// Creates an error, for a ``Broker``, a ``Browser`` or a ``RedirectListener``, for tests, and for applications
    /// that report their errors in the same way.
    ///
    /// - Parameters:
    ///   - code: what went wrong.
    ///   - reason: why interaction is required.
    ///   - errorResponse: the server's response. Determines ``claimsToRequest`` and ``retryAfter``.
    ///   - cacheError: the cache's error.
    ///   - transportError: the transport's error.
    ///   - grantedScopes: the granted scopes.
    ///   - declinedScopes: the requested scopes that were not granted.
    ///   - underlying: the error that your own code got.
    public init(
        _ code: Code,
        reason: InteractionReason? = nil,
        errorResponse: TokenErrorResponse? = nil,
        cacheError: TokenCacheError? = nil,
        transportError: TransportError? = nil,
        grantedScopes: [String] = [],
        declinedScopes: [String] = [],
        underlying: (any Error)? = nil
    ) {
        self.init(code) { facts in
            facts.reason = reason
            facts.errorResponse = errorResponse
            facts.retryAfter = errorResponse?.retryAfter
            facts.cacheError = cacheError
            facts.transportError = transportError
            facts.grantedScopes = grantedScopes
            facts.declinedScopes = declinedScopes
            facts.underlying = underlying
        }
    }

    init(_ code: Code, _ change: (inout Facts) -> Void) {
        self.init(code, detail: nil, change)
    }

    init(_ code: Code, detail: String?, _ change: (inout Facts) -> Void = { _ in }) {
        var facts = Facts(code: code, detail: detail)
        change(&facts)
        contents = Contents(facts)
    }

    /// The same error with other facts.
    func changed(_ change: (inout Facts) -> Void) -> AcquisitionError {
        var facts = facts
        change(&facts)
        return AcquisitionError(facts)
    }

    private init(_ facts: Facts) {
        contents = Contents(facts)
    }

    /// The values of the error, stored separately so that throwing it costs little.
    struct Facts: Sendable {
        let code: Code
        var detail: String?
        var reason: InteractionReason?
        var errorResponse: TokenErrorResponse?
        var grantedScopes: [String] = []
        var declinedScopes: [String] = []
        var result: AuthenticationResult?
        var retryAfter: Duration?
        var correlationID: CorrelationID?
        var processID: Int32?
        var endpointHost: String?
        var authorizationServers: [String] = []
        var cacheError: TokenCacheError?
        var transportError: TransportError?
        var underlying: (any Error)?
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

    /// The exact problem as a sentence fragment, such as "it names no scope"; nil if ``code`` says everything. It is
    /// part of ``description``.
    public var detail: String? { facts.detail }

    /// What to do about the error: the end of ``description``. Never empty.
    public var advice: String {
        let wait = retryAfter.map { " Wait \($0.components.seconds) seconds." } ?? ""
        let host = facts.endpointHost.map { "Check the authority, or name \($0) as a host of its endpoints" }
        return "\(host ?? transportError?.advice ?? code.texts.advice).\(wait)"
    }

    /// Why the stored tokens did not suffice, if the cache gave a reason: for ``Code/interactionRequired``, for
    /// ``Code/accountMismatch``, and for other codes of a silent request whose refresh token the server refused, such
    /// as ``Code/deviceRegistrationRequired``.
    public var reason: InteractionReason? { facts.reason }

    /// The server's error response, if that caused the error.
    public var errorResponse: TokenErrorResponse? { facts.errorResponse }

    /// The granted scopes; for ``Code/scopesDeclined``.
    public var grantedScopes: [String] { facts.grantedScopes }

    /// The requested scopes that were not granted; for ``Code/scopesDeclined``, and for ``Code/interactionRequired`` if
    /// the server would refuse them without the user.
    public var declinedScopes: [String] { facts.declinedScopes }

    /// The token for the granted scopes, for ``Code/scopesDeclined``; the token that is still valid, if a request with
    /// ``SilentRequest/forceRefresh`` got no new one.
    public var result: AuthenticationResult? { facts.result }

    /// How long to wait before the next request to the server; for ``Code/throttled`` and ``Code/serverUnavailable``.
    public var retryAfter: Duration? { facts.retryAfter }

    /// The correlation id of the call, by which the server's operator finds its requests; nil for calls that send none, and
    /// for the outcomes in reports.
    public var correlationID: CorrelationID? { facts.correlationID }

    /// The process that is asking the user, which may have been stopped; for ``Code/interactionBusy``, if it is known.
    public var processID: Int32? { facts.processID }

    /// The host on which an issuer's metadata names an endpoint, and which the application does not accept: for
    /// ``Code/authorityRejected``. If it belongs to the issuer, name it in
    /// ``Authority/openIDConnect(issuer:endpointHosts:)``. Nil for Microsoft's authorities, whose hosts are known.
    public var endpointHost: String? { facts.endpointHost }

    /// The URLs of the authorization servers that an API names: for ``Code/severalAuthorizationServers``, and for
    /// ``Code/authorityRejected`` if the request names another one.
    public var authorizationServers: [String] { facts.authorizationServers }

    /// The cache's error, if the problem began there: for ``Code/cacheFailed``, and for codes such as
    /// ``Code/renewalBusy``, ``Code/severalAccounts`` and, after a sign-out, ``Code/interactionRequired``.
    public var cacheError: TokenCacheError? { facts.cacheError }

    /// The transport's error, if there was no complete response: for ``Code/networkFailed``, and for ``Code/cancelled``
    /// if a request was in progress.
    public var transportError: TransportError? { facts.transportError }

    /// The error that the application's own code threw, if that is the reason, such as that of the closure that shows a
    /// device code. ``description`` omits it, because its content is unknown. A transport's own error is
    /// ``TransportError/underlying`` of ``transportError``.
    public var underlying: (any Error)? { facts.underlying }

    /// The claims that the server requires: sign in with them. Nil if it requires none.
    public var claimsToRequest: ClaimsRequest? {
        errorResponse?.claims.flatMap { try? ClaimsRequest(json: $0) }
    }
}

extension AcquisitionError: Hashable {
    /// Whether two errors are equal in everything except ``result``, ``correlationID`` and ``underlying``.
    public static func == (left: AcquisitionError, right: AcquisitionError) -> Bool {
        let (left, right) = (left.facts, right.facts)
        return left.code == right.code && left.detail == right.detail && left.reason == right.reason
            && left.errorResponse == right.errorResponse && left.grantedScopes == right.grantedScopes
            && left.declinedScopes == right.declinedScopes && left.retryAfter == right.retryAfter
            && left.processID == right.processID && left.endpointHost == right.endpointHost
            && left.authorizationServers == right.authorizationServers
            && left.cacheError == right.cacheError
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
        var findings = [detail, reason?.description].compactMap { $0 }
        if !authorizationServers.isEmpty { findings.append(authorizationServers.joined(separator: ", ")) }
        if let processID { findings.append("process \(processID)") }
        if let brief = errorResponse?.brief, !brief.isEmpty { findings.append(brief) }
        if let transportError { findings.append(transportError.description) }
        if let cacheError { findings.append(cacheError.code.description) }
        return code.texts.happened + (findings.isEmpty ? "" : " (" + findings.joined(separator: "; ") + ")")
            + ". \(advice)"
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
