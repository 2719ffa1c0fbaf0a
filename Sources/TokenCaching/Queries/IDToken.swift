internal import Sealing

/// An id token that a cache found: what an issuer said of the person when this application signed in. Its secret is still
/// sealed: it is opened each time you ask for it.
///
/// It is for showing who is signed in. It may have ended long ago, and it is never verified here.
public struct IDToken: Sendable {
    let facts: PartitionFacts
    let row: Int32

    private var fields: FactsRow { facts.row(Int(row)) }

    /// The tenant that issued it, folded.
    public var tenant: String? { facts.string(fields.realm) }

    /// The host of the authority that issued it, as it was stored, folded.
    public var environment: String { facts.string(fields.environment) ?? "" }

    /// The home account id of the account, folded; nil for an account without one.
    public var accountID: Account.ID? { facts.string(facts.homeAccountID).map { Account.ID(trimmed: $0) } }

    /// Opens the secret and hands its bytes to `body`. They are wiped when `body` returns.
    ///
    /// - Parameter body: gets the token as UTF-8. Do not let the bytes out of it.
    /// - Returns: what `body` returns.
    /// - Throws: as `AccessToken.withSecret`; there is no successor.
    public func withSecret<Result>(
        _ body: (RawSpan) throws(TokenCacheError) -> Result
    ) throws(TokenCacheError) -> Result {
        let secret = try facts.openToken(of: Int(row))
        return try body(secret.bytes)
    }

    /// Opens the secret and hands its bytes to a body that throws errors of its own. They come through as they are.
    ///
    /// - Throws: what `body` throws, or a ``TokenCacheError`` as where the body throws no other.
    public func withSecret<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws -> Result {
        let secret = try facts.openToken(of: Int(row))
        return try body(secret.bytes)
    }

    /// What it says of the person, decoded anew each time: some microseconds.
    ///
    /// - Returns: nil for a token that is not of three parts with a JSON object in base64 in the second.
    /// - Throws: as `withSecret`.
    public var claims: IDTokenClaims? {
        get throws(TokenCacheError) {
            let secret = try facts.openToken(of: Int(row))
            guard let payload = try IDTokenPayload.payload(of: secret.bytes) else { return nil }
            return IDTokenClaims(payload: payload.bytes)
        }
    }

    /// Decodes the claims and hands their JSON to `body`. It is wiped when `body` returns. For claims that should be
    /// nowhere else; others are handier in ``claims``.
    ///
    /// - Parameter body: gets the payload of the token: a JSON object in UTF-8, as the issuer wrote it.
    /// - Returns: what `body` returns; nil for a token that is not of three parts with base64 in the second.
    /// - Throws: as `withSecret`.
    public func withClaims<Result>(
        _ body: (RawSpan) throws(TokenCacheError) -> Result
    ) throws(TokenCacheError) -> Result? {
        let secret = try facts.openToken(of: Int(row))
        guard let payload = try IDTokenPayload.payload(of: secret.bytes) else { return nil }
        return try body(payload.bytes)
    }

    /// Decodes the claims and hands their JSON to a body that throws errors of its own. They come through as they are.
    ///
    /// - Parameter body: gets the payload of the token: a JSON object in UTF-8, as the issuer wrote it.
    /// - Returns: what `body` returns; nil for a token that is not of three parts with base64 in the second.
    /// - Throws: what `body` throws, or a ``TokenCacheError`` as `withSecret`.
    public func withClaims<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws -> Result? {
        let secret = try facts.openToken(of: Int(row))
        guard let payload = try IDTokenPayload.payload(of: secret.bytes) else { return nil }
        return try body(payload.bytes)
    }

    /// The token as text. Copies of a string stay in memory until they are overwritten by chance: where that matters,
    /// use `withSecret`.
    public var secretString: String {
        get throws(TokenCacheError) {
            try withSecret { (bytes) throws(TokenCacheError) in String(copying: bytes) }
        }
    }
}

extension IDToken: CustomStringConvertible, CustomReflectable {
    /// Nothing of the token and nobody's name.
    public var description: String { "IDToken" }

    /// No children: neither the token nor whose it is gets into logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
