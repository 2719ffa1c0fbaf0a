// SPDX-License-Identifier: Apache-2.0

/// The response of a token endpoint without tokens (RFC 6749, section 5.2, with Microsoft's additions).
///
/// Contains the members that programs act on and support asks for. Text that servers write for users
/// (`error_description`) is omitted, because its content is unknown. Later versions may have more.
///
/// ```swift
/// case .interactionRequired(let interaction):
///     signIn(claims: interaction.errorResponse?.claims)
/// ```
public struct TokenErrorResponse: Hashable, Sendable {
    /// The member `error`; empty if the body has none, as in a proxy's response.
    public var error: String

    /// The member `suberror`, in which Microsoft's endpoints are more specific.
    public var suberror: String?

    /// The member `error_codes`: the numbers of Microsoft's errors, those that begin with AADSTS.
    public var errorCodes: [Int64]

    /// The claims that a policy requires, as JSON text: request them when the user signs in.
    public var claims: String?

    /// Identifies the request in the provider's logs: `correlation_id`.
    public var correlationID: String?

    /// Identifies the provider's processing of the request: `trace_id`.
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
