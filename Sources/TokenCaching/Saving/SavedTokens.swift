// SPDX-License-Identifier: Apache-2.0

internal import UnifiedSchema

/// The result of saving a token response.
///
/// Later versions may contain more.
public struct SavedTokens: Sendable {
    /// The account as it is now; nil for an app-only token, if only the account's id is known, and if nothing was stored
    /// because the response is for another account.
    public let account: Account?

    /// Whether the server answered a renewal with another account's tokens.
    ///
    /// Nothing of them is stored. Sign in interactively, with the requested account as a hint:
    /// ``TokenCache/renew(_:timeout:redeeming:)`` does not redeem the same refresh token again for this application.
    public let belongsToAnotherAccount: Bool

    /// The scopes that the server granted, as it wrote them; the requested ones if it named none. Empty for a response
    /// without an access token, and for a response for another account.
    public var grantedScopes: [String] { granted?.scopes.map(\.string) ?? [] }

    private let granted: ScopeSet?
    let engine: Engine
    /// The record of the access token; nil if there is none to hand out.
    private let token: WrittenToken?
    private let homeAccountID: String?
    private let request: TokenRequest

    init(_ written: WrittenResponse, of request: TokenRequest, granted: ScopeSet?, engine: Engine) {
        account = written.account?.account(isSignedIn: true)
        belongsToAnotherAccount = false
        self.granted = granted
        self.engine = engine
        token = written.accessToken
        homeAccountID = written.homeAccountID
        self.request = request
    }

    /// For a renewal that the server answered with another account.
    init(ofAnotherAccount request: TokenRequest, engine: Engine) {
        account = nil
        belongsToAnotherAccount = true
        granted = nil
        self.engine = engine
        token = nil
        homeAccountID = nil
        self.request = request
    }

    /// The access token of the response, regardless of its lifetime. Reads the account's records, unless they are
    /// cached.
    ///
    /// - Returns: nil for a response without one or for another account, and if the token was replaced or removed
    ///   since.
    /// - Throws: the errors of ``TokenCache/token(for:)``.
    public func accessToken() throws(TokenCacheError) -> AccessToken? {
        guard let token else { return nil }
        return try translating(
            try engine.accessToken(token, until: engine.newDeadline()) { row, facts in
                PreparedQuery(asking: row, of: facts, homeAccountID: homeAccountID, request)
            }
        )
    }
}

extension SavedTokens: CustomStringConvertible, CustomReflectable {
    /// The number of granted scopes; no identity and nothing about the tokens.
    public var description: String { "SavedTokens(\(grantedScopes.count) scopes)" }

    /// No children, so that neither the tokens nor their owner appears in logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension PreparedQuery {
    /// A query that matches exactly this access token.
    fileprivate convenience init(
        asking row: FactsRow,
        of facts: PartitionFacts,
        homeAccountID: String?,
        _ request: TokenRequest
    ) {
        var options = TokenQueryOptions(tokenType: facts.string(row.tokenType), keyID: facts.string(row.keyID))
        options.isolation = request.isolation
        self.init(
            homeAccountID == nil ? .application : .homeAccountID,
            account: homeAccountID ?? "",
            scopes: [facts.string(row.scopes) ?? ""],
            tenant: facts.string(row.realm),
            environment: facts.string(row.environment),
            options: options
        )
    }
}
