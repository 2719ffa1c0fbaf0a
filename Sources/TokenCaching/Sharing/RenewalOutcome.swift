// SPDX-License-Identifier: Apache-2.0

internal import Sealing
internal import Synchronization
internal import UnifiedSchema

/// The outcome of redeeming a refresh token, which the closure of ``TokenCache/renew(_:timeout:redeeming:)`` returns.
///
/// Only a response of the token endpoint counts as a response or a refusal. If you do not know its response, return
/// ``unavailable`` or throw: the refresh token then stays.
public struct RenewalOutcome: Sendable {
    enum Value: Sendable {
        case response(KeptResponse, scopes: [String])
        case refused(TokenErrorResponse)
        case unavailable(TokenErrorResponse?)
        case ofAnotherAccount
    }

    let value: Value

    private init(_ value: Value) {
        self.value = value
    }

    /// The refresh token of a response that was not saved, because the user signed out meanwhile and wants the token
    /// revoked; nil for others.
    package var pendingRevocation: PendingRevocation? {
        if case .response(let kept, _) = value { kept.pendingRevocation.withLock { $0 } } else { nil }
    }

    /// New tokens. They are stored before any other caller may redeem a refresh token instead of this one.
    ///
    /// - Parameters:
    ///   - response: the body of the response.
    ///   - scopes: the requested scopes, if they differ from the query's. They count as granted if the response names
    ///     none.
    /// - Returns: the outcome.
    public static func response(_ response: consuming TokenResponse, scopes: [String] = []) -> RenewalOutcome {
        RenewalOutcome(.response(KeptResponse(response), scopes: scopes))
    }

    /// The server refused. A refresh token that the server declares dead is removed: see
    /// ``TokenCache/noteRefusal(of:response:)``.
    ///
    /// - Parameters:
    ///   - error: the member `error` of the response.
    ///   - suberror: the member `suberror`, if there is one.
    /// - Returns: the outcome.
    public static func refused(error: String, suberror: String? = nil) -> RenewalOutcome {
        refused(TokenErrorResponse(error: error, suberror: suberror))
    }

    /// The server refused with this response, which every caller that waits for the token receives.
    public static func refused(_ response: TokenErrorResponse) -> RenewalOutcome {
        RenewalOutcome(.refused(response))
    }

    /// The outcome of an HTTP response of the token endpoint (RFC 6749, section 5).
    ///
    /// Status 200 means new tokens. 400 to 499, except 408 and 429, mean a refusal if the body contains the member
    /// `error`; so does 400 with an empty body, which some servers send. Everything else, such as 5xx and a proxy's
    /// error page, says nothing about the refresh token: it counts as ``unavailable``. Every caller that waits for the
    /// token receives the server's response.
    ///
    /// ```swift
    /// let delay = response.value(forHTTPHeaderField: "Retry-After")
    /// return try .httpResponse(status: response.statusCode, body: [UInt8](data), retryAfter: delay)
    /// ```
    ///
    /// - Parameters:
    ///   - status: the status code.
    ///   - body: the body as received.
    ///   - scopes: the requested scopes, if they differ from the query's.
    ///   - retryAfter: the header `Retry-After`, if there is one: seconds, or a date.
    ///   - date: the time to compare a date in `retryAfter` with; by default the system's current time.
    /// - Returns: the outcome.
    /// - Throws: ``TokenCacheError/Code/invalidResponse`` for a status of 200 without tokens, and other errors of
    ///   creating a ``TokenResponse``. Rethrow them: the refresh token stays.
    public static func httpResponse(
        status: Int,
        body: [UInt8],
        scopes: [String] = [],
        retryAfter: String? = nil,
        date: Timestamp = WallClock.system.now()
    ) throws(TokenCacheError) -> RenewalOutcome {
        if status == 200 { return .response(try TokenResponse(json: body), scopes: scopes) }
        let response = TokenErrorResponse(status: status, body: body, retryAfter: retryAfter, date: date)
        let error = UTF8Text(response.error)
        let isRefusal = RefusalMeaning.isRefusal(status: status, error: error, hasBody: !body.isEmpty)
        return isRefusal ? .refused(response) : .unavailable(response)
    }

    /// The response is for another account or another client: nothing of it is stored, and the refresh token is not redeemed
    /// again for this client.
    package static let ofAnotherAccount = RenewalOutcome(.ofAnotherAccount)

    /// The server could not be reached, or had a problem. The refresh token stays, and waiting callers may try it.
    public static let unavailable = RenewalOutcome(.unavailable(nil))

    /// The server responded that it cannot serve the request now. The refresh token stays.
    public static func unavailable(_ response: TokenErrorResponse) -> RenewalOutcome {
        RenewalOutcome(.unavailable(response))
    }
}

extension RenewalOutcome: CustomStringConvertible, CustomReflectable {
    /// The kind of outcome; nothing about the tokens.
    public var description: String {
        switch value {
        case .response: "response"
        case .refused: "refused"
        case .unavailable: "unavailable"
        case .ofAnotherAccount: "ofAnotherAccount"
        }
    }

    /// No children, so that no token appears in logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A shared reference to a response.
final class KeptResponse: Sendable {
    let response: TokenResponse
    /// That of its refresh token; nil if the response was saved, or is not to be revoked.
    let pendingRevocation = Mutex(PendingRevocation?.none)

    init(_ response: consuming TokenResponse) {
        self.response = response
    }
}
