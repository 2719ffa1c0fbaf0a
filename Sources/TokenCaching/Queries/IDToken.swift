// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage
internal import Sealing

/// An id token found in a cache: the issuer's claims about the user when this application signed in. Its secret remains
/// sealed and is decrypted each time you access it.
///
/// Use it to show who is signed in. It may have expired long ago, and it is never validated here.
public struct IDToken: Sendable {
    let facts: PartitionFacts
    let row: Int32

    private var fields: FactsRow { facts.row(Int(row)) }

    /// The tenant that issued it, folded.
    public var tenant: String? { facts.string(fields.realm) }

    /// The host of the authority that issued it, as stored, folded.
    public var environment: String { facts.string(fields.environment) ?? "" }

    /// The home account id of the account, folded; nil for an account without one.
    public var accountID: Account.ID? { facts.string(facts.homeAccountID).map { Account.ID(trimmed: $0) } }

    /// Decrypts the secret and passes its bytes to `body`. They are wiped when `body` returns.
    ///
    /// - Parameter body: receives the token as UTF-8. The bytes must not escape.
    /// - Returns: the result of `body`.
    /// - Throws: the errors of `AccessToken.withSecret`; there is no successor.
    public func withSecret<Result>(
        _ body: (RawSpan) throws(TokenCacheError) -> Result
    ) throws(TokenCacheError) -> Result {
        let secret = try translating(try facts.openToken(of: Int(row)))
        return try body(secret.bytes)
    }

    /// Decrypts the secret and passes its bytes to a body with another error type. Its errors are rethrown unchanged.
    ///
    /// - Throws: the errors of `body`, or a ``TokenCacheError`` as the other form does.
    public func withSecret<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws -> Result {
        let secret = try translating(try facts.openToken(of: Int(row)))
        return try body(secret.bytes)
    }

    /// The claims, decoded each time, which takes some microseconds.
    ///
    /// - Returns: nil if the token does not consist of three parts with a base64-encoded JSON object in the second.
    /// - Throws: the errors of `withSecret`.
    public var claims: IDTokenClaims? {
        get throws(TokenCacheError) {
            guard let payload = try translating(try payload()) else { return nil }
            return IDTokenClaims(payload: payload.bytes)
        }
    }

    /// Decodes the claims and passes their JSON to `body`. It is wiped when `body` returns. Use this for claims that
    /// must not remain in memory; otherwise ``claims`` is more convenient.
    ///
    /// - Parameter body: receives the payload of the token: a JSON object in UTF-8, as the issuer wrote it.
    /// - Returns: the result of `body`; nil if the token does not consist of three parts with base64 in the second.
    /// - Throws: the errors of `withSecret`.
    public func withClaims<Result>(
        _ body: (RawSpan) throws(TokenCacheError) -> Result
    ) throws(TokenCacheError) -> Result? {
        guard let payload = try translating(try payload()) else { return nil }
        return try body(payload.bytes)
    }

    /// Decodes the claims and passes their JSON to a body with another error type. Its errors are rethrown unchanged.
    ///
    /// - Parameter body: receives the payload of the token: a JSON object in UTF-8, as the issuer wrote it.
    /// - Returns: the result of `body`; nil if the token does not consist of three parts with base64 in the second.
    /// - Throws: the errors of `body`, or a ``TokenCacheError`` as `withSecret` does.
    public func withClaims<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws -> Result? {
        guard let payload = try translating(try payload()) else { return nil }
        return try body(payload.bytes)
    }

    /// The decoded payload of the token; nil if the token is malformed.
    private func payload() throws(StorageError) -> SecretBytes? {
        let secret = try facts.openToken(of: Int(row))
        return try IDTokenPayload.payload(of: secret.bytes)
    }

    /// The token as a string. Copies of a string remain in memory until they happen to be overwritten: if that matters,
    /// use `withSecret`.
    public var secretString: String {
        get throws(TokenCacheError) {
            try withSecret { (bytes) throws(TokenCacheError) in String(copying: bytes) }
        }
    }
}

extension IDToken: CustomStringConvertible, CustomReflectable {
    /// The type's name; nothing about the token or its owner.
    public var description: String { "IDToken" }

    /// No children, so that neither the token nor its owner appears in logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
