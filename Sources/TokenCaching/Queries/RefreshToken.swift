/// A refresh token to be spent for new tokens. Its secret is still sealed: it is opened each time you ask for it.
///
/// Send it to the token endpoint of ``environment`` only, then hand the response to
/// ``TokenCache/save(_:for:)-(TokenResponse,_)`` as a renewal.
public struct RefreshToken: Sendable {
    let answer: TokenAnswer
    let row: Int32

    private var facts: FactsRow { answer.facts.row(Int(row)) }

    /// The host of the authority that issued it, as it was stored, folded. It is good for no other cloud.
    public var environment: String { answer.facts.string(facts.environment) ?? "" }

    /// The client that got it, folded: another one than the asking client where the token belongs to a family.
    public var clientID: String { answer.facts.string(facts.client) ?? "" }

    /// The family whose clients may spend it; nil where only one client may.
    public var familyID: String? { answer.facts.string(facts.family) }

    /// The home account id of the account, folded; nil for an account without one.
    public var accountID: String? { answer.facts.string(answer.facts.homeAccountID) }

    /// The realm that it is good for, where its issuer has realms for refresh tokens.
    public var tenant: String? { answer.facts.string(facts.realm) }

    /// Opens the secret and hands its bytes to `body`. They are wiped when `body` returns.
    ///
    /// - Parameter body: gets the token as UTF-8. Do not let the bytes out of it.
    /// - Returns: what `body` returns.
    /// - Throws: as ``AccessToken/withSecret(_:)``.
    public func withSecret<Result>(
        _ body: (RawSpan) throws(TokenCacheError) -> Result
    ) throws(TokenCacheError) -> Result {
        try SecretOpening(answer: answer, row: Int(row), wants: .refreshToken).withSecret(body)
    }

    /// The token as text. Copies of a string stay in memory until they are overwritten by chance: where that matters,
    /// use ``withSecret(_:)``.
    ///
    /// - Throws: as ``AccessToken/withSecret(_:)``.
    public var secretString: String {
        get throws(TokenCacheError) {
            try withSecret { (bytes) throws(TokenCacheError) in String(copying: bytes) }
        }
    }
}

extension RefreshToken: CustomStringConvertible, CustomReflectable {
    /// Whether it belongs to a family; nothing of the token.
    public var description: String { familyID == nil ? "RefreshToken" : "RefreshToken(of a family)" }

    /// No children: neither the token nor whose it is gets into logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
