// SPDX-License-Identifier: Apache-2.0

internal import UnifiedSchema

/// A refresh token to redeem for new tokens. Its secret remains sealed and is decrypted each time you access it.
///
/// Send it only to the token endpoint of ``networkHost`` and ``requestTenant``, then pass the response to
/// ``TokenCache/save(_:for:)`` as a renewal. If the server refuses it, report that with
/// ``TokenCache/noteRefusal(of:response:)``, and try the ``next()`` one.
public struct RefreshToken: Sendable {
    let answer: TokenAnswer
    let row: Int32
    /// Whether the token was handed out under its own lease, so that it must not be replaced by another token.
    var isLeased = false

    var facts: FactsRow { answer.facts.row(Int(row)) }

    /// The host of the authority that issued it, as stored, folded. It is valid for no other cloud.
    public var environment: String { answer.facts.string(facts.environment) ?? "" }

    /// The host to send it to: the cloud's preferred network host, or ``environment`` if that belongs to no known
    /// cloud.
    public var networkHost: String {
        answer.facts.issuer(of: facts).host
    }

    /// The refresh token to try if the server refused this one. Its secret differs from this token's and from those of
    /// all tokens before it. The client's own tokens come first, then those of its family, each newest first.
    ///
    /// It belongs to the same snapshot as this one. Opens a few sealed boxes to compare them, which takes some
    /// microseconds each.
    ///
    /// - Returns: nil if there is none.
    /// - Throws: the errors of ``TokenCache/token(for:)``.
    public func next() throws(TokenCacheError) -> RefreshToken? {
        let next = try translating(try answer.engine.refreshToken(after: row, of: answer))
        return next.map { RefreshToken(answer: answer, row: Int32(truncatingIfNeeded: $0)) }
    }

    /// The client that obtained it, folded: for a family's token possibly a different client from this cache's.
    public var clientID: String { answer.facts.string(facts.client) ?? "" }

    /// The family whose clients may redeem it; nil if only one client may.
    public var familyID: String? { answer.facts.string(facts.family) }

    /// The home account id of the account, folded; nil for an account without one.
    public var accountID: Account.ID? {
        answer.facts.string(answer.facts.homeAccountID).map { Account.ID(trimmed: $0) }
    }

    /// The realm that it is valid for, if its issuer restricts refresh tokens to realms; nil for Microsoft's, which are
    /// valid for any tenant. Send it to ``requestTenant``.
    public var tenant: String? { facts.flags.contains(.microsoft) ? nil : answer.facts.string(facts.realm) }

    /// The scopes that were granted with it, in the server's spelling; nil if they are unknown, and for Microsoft's,
    /// which are valid for whatever the user consents to. Other servers refuse a renewal that asks for more (RFC 6749,
    /// section 6).
    package var grantedScopes: [String]? {
        // The scopes of an ADAL item are its resource.
        facts.kind.isLegacy || facts.scopes.isNone ? nil : answer.facts.scopes(of: facts)
    }

    private var opening: SecretOpening {
        SecretOpening(answer: answer, row: Int(row), wants: .refreshToken, isExact: isLeased)
    }

    /// Decrypts the secret and passes its bytes to `body`. They are wiped when `body` returns.
    ///
    /// - Parameter body: receives the token as UTF-8. The bytes must not escape.
    /// - Returns: the result of `body`.
    /// - Throws: the errors of `AccessToken.withSecret`.
    public func withSecret<Result>(
        _ body: (RawSpan) throws(TokenCacheError) -> Result
    ) throws(TokenCacheError) -> Result {
        let secret = try translating(try opening.open())
        return try body(secret.bytes)
    }

    /// Decrypts the secret and passes its bytes to a body with another error type. Its errors are rethrown unchanged.
    ///
    /// - Throws: the errors of `body`, or a ``TokenCacheError`` as the other form does.
    public func withSecret<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws -> Result {
        let secret = try translating(try opening.open())
        return try body(secret.bytes)
    }

    /// The token as a string. Copies of a string remain in memory until they happen to be overwritten: if that matters,
    /// use `withSecret`.
    ///
    /// - Throws: the errors of `AccessToken.withSecret`.
    public var secretString: String {
        get throws(TokenCacheError) {
            try withSecret { (bytes) throws(TokenCacheError) in String(copying: bytes) }
        }
    }
}

extension RefreshToken: CustomStringConvertible, CustomReflectable {
    /// Whether it belongs to a family; nothing about the token.
    public var description: String { familyID == nil ? "RefreshToken" : "RefreshToken(of a family)" }

    /// No children, so that neither the token nor its owner appears in logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
