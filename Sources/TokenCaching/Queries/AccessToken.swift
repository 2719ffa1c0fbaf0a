internal import RecordStorage

/// An access token that a cache found. Its secret is still sealed: it is opened each time you ask for it.
///
/// A value of two words that keeps its query's answer alive and nothing else; safe to use from any thread.
public struct AccessToken: Sendable {
    let answer: TokenAnswer
    let row: Int32

    /// Whether the server wants the token renewed by now, although it can still be used.
    public let shouldRenew: Bool

    /// Why the answer may be older than what is stored now; nil as a rule.
    public let staleness: StaleReason?

    private var facts: FactsRow { answer.facts.row(Int(row)) }

    /// When the token ends.
    public var expiresOn: Timestamp { Timestamp(secondsSince1970: facts.expiresOn) }

    /// When the token was stored; nil where that was not written down.
    public var cachedAt: Timestamp? { Timestamp(facts.cachedAt) }

    /// From when on the server wants the token renewed; nil where it did not say.
    public var refreshOn: Timestamp? { Timestamp(facts.refreshOn) }

    /// Until when the token may be used while the server cannot be reached; nil where the server did not say.
    public var extendedExpiresOn: Timestamp? { Timestamp(facts.extendedExpiresOn) }

    /// Whether the token has ended and is handed out within its extended lifetime only, because the query said that the
    /// server is unavailable.
    public var isExtended: Bool { answer.matchResult.isExtended }

    /// The scopes that the token is good for, as the server wrote them.
    public var scopes: [String] {
        let text = answer.facts.string(facts.scopes) ?? ""
        return text.split(whereSeparator: \.isWhitespace).map(String.init)
    }

    /// The home account id of the account, folded; nil for a token of the application itself.
    public var accountID: Account.ID? {
        answer.facts.string(answer.facts.homeAccountID).map { Account.ID(trimmed: $0) }
    }

    /// The tenant that issued it, folded; nil where none was stored.
    public var tenant: String? { answer.facts.string(facts.realm) }

    /// The host of the authority that issued it, as it was stored, folded; empty where none was.
    public var environment: String { answer.facts.string(facts.environment) ?? "" }

    /// The type of the token, folded: `bearer` as a rule.
    public var tokenType: String { answer.facts.string(facts.tokenType) ?? "bearer" }

    /// The id of the key that the token is bound to; nil for a bearer token.
    public var keyID: String? { answer.facts.string(facts.keyID) }

    /// Opens the secret and hands its bytes to `body`. They are wiped when `body` returns.
    ///
    /// Reads one record of the store and opens one sealed box: some microseconds. If the token was removed meanwhile,
    /// the cache decides once more and hands out its successor, where there is one.
    ///
    /// - Parameter body: gets the token as UTF-8. Do not let the bytes out of it.
    /// - Returns: what `body` returns.
    /// - Throws: ``TokenCacheError/Code/tokenGone`` where it was removed and has no successor,
    ///   ``TokenCacheError/Code/damaged`` where it does not verify, ``TokenCacheError/Code/forkedProcess`` in a forked
    ///   child, and what `body` throws.
    public func withSecret<Result>(
        _ body: (RawSpan) throws(TokenCacheError) -> Result
    ) throws(TokenCacheError) -> Result {
        let secret = try SecretOpening(answer: answer, row: Int(row), wants: .accessToken).open()
        return try body(secret.bytes)
    }

    /// Opens the secret and hands its bytes to a body that throws errors of its own. They come through as they are.
    ///
    /// - Throws: what `body` throws, or a ``TokenCacheError`` as where the body throws no other.
    public func withSecret<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws -> Result {
        let secret = try SecretOpening(answer: answer, row: Int(row), wants: .accessToken).open()
        return try body(secret.bytes)
    }

    /// The token as text.
    ///
    /// Copies of a string stay in memory until they are overwritten by chance: where that matters, use
    /// `withSecret`.
    ///
    /// - Throws: as `withSecret`.
    public var secretString: String {
        get throws(TokenCacheError) {
            try withSecret { (bytes) throws(TokenCacheError) in String(copying: bytes) }
        }
    }
}

extension AccessToken: CustomStringConvertible, CustomReflectable {
    /// When it ends; nothing of the token.
    public var description: String { "AccessToken(expires on \(expiresOn))" }

    /// No children: neither the token nor whose it is gets into logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Timestamp {
    /// A time of an entry; nil where it has none.
    init?(_ seconds: Int64) {
        if seconds == FactsRow.missing { return nil }
        self.init(secondsSince1970: seconds)
    }
}

extension String {
    /// A copy of bytes that are UTF-8; what is none of it is replaced.
    init(copying bytes: RawSpan) {
        // SAFETY: the buffer is only read, inside the closure.
        self = unsafe bytes.withUnsafeBytes { buffer in unsafe String(decoding: buffer, as: UTF8.self) }
    }
}
