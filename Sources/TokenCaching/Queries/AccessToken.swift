// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage

/// An access token found in a cache. Its secret remains sealed and is decrypted each time you access it.
///
/// A two-word value that keeps only its query's answer alive; safe to use from any thread.
public struct AccessToken: Sendable {
    let answer: TokenAnswer
    let row: Int32

    /// Whether the server wants the token renewed by now, although it is still valid.
    public let shouldRenew: Bool

    /// Why the answer may be older than the stored state; usually nil.
    public let staleness: StaleReason?

    private var facts: FactsRow { answer.facts.row(Int(row)) }

    /// When the token expires.
    public var expiresOn: Timestamp { Timestamp(secondsSince1970: facts.expiresOn) }

    /// When the token was stored; nil if that was not recorded.
    public var cachedAt: Timestamp? { Timestamp(facts.cachedAt) }

    /// When the server wants the token renewed; nil if it did not say.
    public var refreshOn: Timestamp? { Timestamp(facts.refreshOn) }

    /// When the token's extended lifetime ends: until then it may be used while the server cannot be reached. Nil if
    /// the server did not say.
    public var extendedExpiresOn: Timestamp? { Timestamp(facts.extendedExpiresOn) }

    /// Whether the token has expired and is returned only because the query allows its extended lifetime, which has not
    /// ended.
    public var isExtended: Bool { answer.matchResult.isExtended }

    /// The granted scopes, as the server wrote them.
    public var scopes: [String] { answer.facts.scopes(of: facts) }

    /// The home account id of the account, folded; nil for an app-only token.
    public var accountID: Account.ID? {
        answer.facts.string(answer.facts.homeAccountID).map { Account.ID(trimmed: $0) }
    }

    /// The tenant that issued it, folded; nil if none was stored.
    public var tenant: String? { answer.facts.string(facts.realm) }

    /// The host of the authority that issued it, as stored, folded; empty if none was stored.
    public var environment: String { answer.facts.string(facts.environment) ?? "" }

    /// The type of the token, folded: usually `bearer`.
    public var tokenType: String { answer.facts.string(facts.tokenType) ?? "bearer" }

    /// The id of the key that the token is bound to; nil for a bearer token.
    public var keyID: String? { answer.facts.string(facts.keyID) }

    private var opening: SecretOpening {
        SecretOpening(answer: answer, row: Int(row), wants: .accessToken)
    }

    /// Decrypts the secret and passes its bytes to `body`. They are wiped when `body` returns.
    ///
    /// Reads one record of the store and opens one sealed box, which takes some microseconds. If the token was removed
    /// in the meantime, the cache looks it up again and returns its successor, if there is one.
    ///
    /// - Parameter body: receives the token as UTF-8. The bytes must not escape.
    /// - Returns: the result of `body`.
    /// - Throws: ``TokenCacheError/Code/tokenGone`` if it was removed and has no successor,
    ///   ``TokenCacheError/Code/damaged`` if it does not verify, ``TokenCacheError/Code/forkedProcess`` in a forked
    ///   child, and the errors of `body`.
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

    /// The token as a string.
    ///
    /// Copies of a string remain in memory until they happen to be overwritten: if that matters, use `withSecret`.
    ///
    /// - Throws: the errors of `withSecret`.
    public var secretString: String {
        get throws(TokenCacheError) {
            try withSecret { (bytes) throws(TokenCacheError) in String(copying: bytes) }
        }
    }
}

extension AccessToken: CustomStringConvertible, CustomReflectable {
    /// When it expires; nothing about the token.
    public var description: String { "AccessToken(expires on \(expiresOn))" }

    /// No children, so that neither the token nor its owner appears in logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Timestamp {
    /// Creates a timestamp from a row's time; nil if the row has none.
    init?(_ seconds: Int64) {
        if seconds == FactsRow.missing { return nil }
        self.init(secondsSince1970: seconds)
    }
}

extension String {
    /// Copies bytes that should be UTF-8; invalid sequences are replaced.
    init(copying bytes: RawSpan) {
        // SAFETY: the buffer is only read, inside the closure.
        self = unsafe bytes.withUnsafeBytes { buffer in unsafe String(decoding: buffer, as: UTF8.self) }
    }
}
