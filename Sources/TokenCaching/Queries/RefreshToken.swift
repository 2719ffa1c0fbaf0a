internal import UnifiedSchema

/// A refresh token to be spent for new tokens. Its secret is still sealed: it is opened each time you ask for it.
///
/// Send it to the token endpoint of ``networkHost`` and ``requestTenant`` only, then hand the response to
/// ``TokenCache/save(_:for:)`` as a renewal. Where the server refuses it, say so with
/// ``TokenCache/noteRefusal(of:response:)``, and try the ``next()`` one.
public struct RefreshToken: Sendable {
    let answer: TokenAnswer
    let row: Int32
    /// Whether the token was handed out under a lease of its own: then no other one may be opened in its place.
    var isLeased = false

    var facts: FactsRow { answer.facts.row(Int(row)) }

    /// The host of the authority that issued it, as it was stored, folded. It is good for no other cloud.
    public var environment: String { answer.facts.string(facts.environment) ?? "" }

    /// The host to send it to: that of the cloud's hosts which is preferred for requests; ``environment`` where that is of
    /// no known cloud.
    public var networkHost: String {
        answer.facts.issuer(of: facts).host
    }

    /// The refresh token to try where the server refused this one: with another secret than this one and those that come
    /// before it. First come the client's own ones, then those of its family, of each sort the newest first.
    ///
    /// Of the same moment as this one. Opens a few sealed boxes to compare them: some microseconds each.
    ///
    /// - Returns: nil where there is none.
    /// - Throws: as ``TokenCache/token(for:)``.
    public func next() throws(TokenCacheError) -> RefreshToken? {
        let next = try answer.engine.refreshToken(after: row, of: answer)
        return next.map { RefreshToken(answer: answer, row: Int32(truncatingIfNeeded: $0)) }
    }

    /// The client that got it, folded: another one than the asking client where the token belongs to a family.
    public var clientID: String { answer.facts.string(facts.client) ?? "" }

    /// The family whose clients may spend it; nil where only one client may.
    public var familyID: String? { answer.facts.string(facts.family) }

    /// The home account id of the account, folded; nil for an account without one.
    public var accountID: Account.ID? {
        answer.facts.string(answer.facts.homeAccountID).map { Account.ID(trimmed: $0) }
    }

    /// The realm that it is good for, where its issuer has realms for refresh tokens; nil for Microsoft's, which are good
    /// for any tenant. Where to send it is ``requestTenant``.
    public var tenant: String? { facts.flags.contains(.microsoft) ? nil : answer.facts.string(facts.realm) }

    /// Opens the secret and hands its bytes to `body`. They are wiped when `body` returns.
    ///
    /// - Parameter body: gets the token as UTF-8. Do not let the bytes out of it.
    /// - Returns: what `body` returns.
    /// - Throws: as `AccessToken.withSecret`.
    public func withSecret<Result>(
        _ body: (RawSpan) throws(TokenCacheError) -> Result
    ) throws(TokenCacheError) -> Result {
        let secret = try SecretOpening(answer: answer, row: Int(row), wants: .refreshToken, isExact: isLeased).open()
        return try body(secret.bytes)
    }

    /// Opens the secret and hands its bytes to a body that throws errors of its own. They come through as they are.
    ///
    /// - Throws: what `body` throws, or a ``TokenCacheError`` as where the body throws no other.
    public func withSecret<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws -> Result {
        let secret = try SecretOpening(answer: answer, row: Int(row), wants: .refreshToken, isExact: isLeased).open()
        return try body(secret.bytes)
    }

    /// The token as text. Copies of a string stay in memory until they are overwritten by chance: where that matters,
    /// use `withSecret`.
    ///
    /// - Throws: as `AccessToken.withSecret`.
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
