/// What a token endpoint said where it gave no tokens (RFC 6749, section 5.2, and what Microsoft's endpoints add).
///
/// It has what programs go by and what support asks for. What servers write for people (`error_description`) is left out: nobody
/// knows what it holds. Later versions may have more.
///
/// ```swift
/// case .interactionRequired(let interaction):
///     signIn(claims: interaction.errorResponse?.claims)
/// ```
public struct TokenErrorResponse: Hashable, Sendable {
    /// The member `error`; empty where the body has none, as that of a proxy.
    public var error: String

    /// The member `suberror`, by which Microsoft's endpoints say more exactly what is the case.
    public var suberror: String?

    /// The member `error_codes`: the numbers of Microsoft's errors, those that begin with AADSTS.
    public var errorCodes: [Int64]

    /// The claims to ask for when the user signs in, as JSON text: what a policy wants proved.
    public var claims: String?

    /// Tells the request from all others in the provider's logs: `correlation_id`.
    public var correlationID: String?

    /// The same for the provider's own step: `trace_id`.
    public var traceID: String?

    /// The status of the HTTP response, where that is known.
    public var status: Int?

    /// How long the server wants to be left alone, by its header `Retry-After`.
    public var retryAfter: Duration?

    /// A response that says no more than this.
    public init(error: String, suberror: String? = nil) {
        self.error = error
        self.suberror = suberror
        errorCodes = []
    }
}

extension TokenErrorResponse: CustomStringConvertible, CustomReflectable {
    /// The error and its suberror, as far as they are codes; no ids and no claims.
    public var description: String {
        let codes = [error, suberror ?? ""].filter { !$0.isEmpty && TokenErrorResponse.isCode($0) }
        return "TokenErrorResponse(\((codes + (status.map { ["status \($0)"] } ?? [])).joined(separator: ", ")))"
    }

    /// No children: ids and claims stay out of logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
