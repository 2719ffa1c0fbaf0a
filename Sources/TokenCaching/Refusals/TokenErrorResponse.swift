// SPDX-License-Identifier: Apache-2.0

/// The response of a token endpoint without tokens (RFC 6749, section 5.2, with Microsoft's additions).
///
/// Contains what programs act on and what support asks for. Text that servers write for users (`error_description`) is
/// omitted, because its content is unknown. Later versions may have more.
///
/// ```swift
/// case .interactionRequired(let interaction):
///     signIn(claims: interaction.errorResponse?.claims)
/// ```
public struct TokenErrorResponse: Hashable, Sendable {
    /// The member `error`; empty if the body has none, like a proxy's.
    public var error: String

    /// The member `suberror`, with which Microsoft's endpoints are more specific.
    public var suberror: String?

    /// The member `error_codes`: the numbers of Microsoft's errors, those that begin with AADSTS.
    public var errorCodes: [Int64]

    /// The claims to request when the user signs in, as JSON text: what a policy requires.
    public var claims: String?

    /// Identifies the request in the provider's logs: `correlation_id`.
    public var correlationID: String?

    /// Identifies the provider's own step: `trace_id`.
    public var traceID: String?

    /// The status of the HTTP response, if it is known.
    public var status: Int?

    /// How long the server asked to wait, in its header `Retry-After`.
    public var retryAfter: Duration?

    /// A response with only these members.
    public init(error: String, suberror: String? = nil) {
        self.error = error
        self.suberror = suberror
        errorCodes = []
    }
}

extension TokenErrorResponse: CustomStringConvertible, CustomReflectable {
    /// The error and its suberror, if they are codes; no ids and no claims.
    public var description: String {
        let codes = [error, suberror ?? ""].filter { !$0.isEmpty && TokenErrorResponse.isCode($0) }
        return "TokenErrorResponse(\((codes + (status.map { ["status \($0)"] } ?? [])).joined(separator: ", ")))"
    }

    /// No children, so that ids and claims do not appear in logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
