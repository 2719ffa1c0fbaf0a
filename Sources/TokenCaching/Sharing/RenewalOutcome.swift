internal import Sealing
internal import UnifiedSchema

/// What came of spending a refresh token: what the closure of ``TokenCache/renew(_:timeout:spending:)`` returns.
///
/// Only what the token endpoint said counts as a response or a refusal. Where nobody knows what it said, return
/// ``unavailable`` or throw: then the refresh token stays.
public struct RenewalOutcome: Sendable {
    enum Value: Sendable {
        case response(KeptResponse, scopes: [String])
        case refused(TokenErrorResponse)
        case unavailable(TokenErrorResponse?)
    }

    let value: Value

    private init(_ value: Value) {
        self.value = value
    }

    /// New tokens. They are stored before anybody else may spend a refresh token in the place of this one.
    ///
    /// - Parameters:
    ///   - response: the body of the response.
    ///   - scopes: those that were asked for, where they are others than the query's. They count as granted where the
    ///     response does not say.
    /// - Returns: the outcome.
    public static func response(_ response: consuming TokenResponse, scopes: [String] = []) -> RenewalOutcome {
        RenewalOutcome(.response(KeptResponse(response), scopes: scopes))
    }

    /// The server refused. A refresh token that is dead by its word is removed: see
    /// ``TokenCache/noteRefusal(of:response:)``.
    ///
    /// - Parameters:
    ///   - error: the member `error` of the response.
    ///   - suberror: the member `suberror`, where there is one.
    /// - Returns: the outcome.
    public static func refused(error: String, suberror: String? = nil) -> RenewalOutcome {
        refused(TokenErrorResponse(error: error, suberror: suberror))
    }

    /// The server refused, and this is what it said: whoever waits for the token gets to know it.
    public static func refused(_ response: TokenErrorResponse) -> RenewalOutcome {
        RenewalOutcome(.refused(response))
    }

    /// What an HTTP answer of the token endpoint means (RFC 6749, section 5).
    ///
    /// A status of 200 brings tokens. 400 to 499 refuse where the body says so, in the member `error`; but 408 and 429 do not.
    /// These, 5xx and the page of a proxy tell nothing of the refresh token: they count as ``unavailable``. What the server
    /// said goes to everybody who waits for the token.
    ///
    /// ```swift
    /// let delay = response.value(forHTTPHeaderField: "Retry-After")
    /// return try .httpResponse(status: response.statusCode, body: [UInt8](data), retryAfter: delay)
    /// ```
    ///
    /// - Parameters:
    ///   - status: the status code.
    ///   - body: the body as it came.
    ///   - scopes: those that were asked for, where they are others than the query's.
    ///   - retryAfter: the header `Retry-After`, where there is one.
    /// - Returns: the outcome.
    /// - Throws: ``TokenCacheError/Code/invalidResponse`` for a status of 200 without tokens, and what else making a
    ///   ``TokenResponse`` meets. Pass it on: the refresh token stays.
    public static func httpResponse(
        status: Int,
        body: [UInt8],
        scopes: [String] = [],
        retryAfter: String? = nil
    ) throws(TokenCacheError) -> RenewalOutcome {
        if status == 200 { return .response(try TokenResponse(json: body), scopes: scopes) }
        let response = TokenErrorResponse(status: status, body: body, retryAfter: retryAfter)
        let isRefusal = RefusalMeaning.isRefusal(status: status, error: UTF8Text(response.error))
        return isRefusal ? .refused(response) : .unavailable(response)
    }

    /// The server could not be reached, or had trouble of its own. The refresh token stays, and whoever waits may try.
    public static let unavailable = RenewalOutcome(.unavailable(nil))

    /// The server answered that it cannot serve the request now. The refresh token stays.
    public static func unavailable(_ response: TokenErrorResponse) -> RenewalOutcome {
        RenewalOutcome(.unavailable(response))
    }
}

extension RenewalOutcome: CustomStringConvertible, CustomReflectable {
    /// What kind of outcome it is; nothing of the tokens.
    public var description: String {
        switch value {
        case .response: "response"
        case .refused: "refused"
        case .unavailable: "unavailable"
        }
    }

    /// No children: no token gets into logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A response that several may refer to.
final class KeptResponse: Sendable {
    let response: TokenResponse

    init(_ response: consuming TokenResponse) {
        self.response = response
    }
}
