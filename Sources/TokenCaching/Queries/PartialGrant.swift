/// What a server granted where that is less than was asked for: the person, or whoever administers the tenant, declined some
/// scopes.
///
/// Later versions may tell more of it.
public struct PartialGrant: Sendable {
    /// The token that the server issued. It is stored, and good for what was granted.
    public let accessToken: AccessToken

    /// The scopes that the token is good for, as the server wrote them.
    public var grantedScopes: [String] { accessToken.scopes }

    /// The scopes that were asked for and not granted, folded; made anew at each call. To ask the person for them, sign in
    /// interactively.
    public var declinedScopes: [String] { accessToken.answer.terms.declinedScopes(of: accessToken) }
}

extension PartialGrant: CustomStringConvertible, CustomReflectable {
    /// How many scopes were declined; nothing of the token.
    public var description: String { "PartialGrant(\(declinedScopes.count) scopes declined)" }

    /// No children: neither the token nor whose it is gets into logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
