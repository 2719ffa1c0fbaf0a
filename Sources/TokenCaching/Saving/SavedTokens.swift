internal import UnifiedSchema

/// What became of a token response that was saved.
///
/// Later versions may tell more of it.
public struct SavedTokens: Sendable {
    /// The account as it is now; nil for tokens of the application itself, and where nothing is known of the account but its
    /// id. If the response is of another account: that one, nil if nothing was stored.
    public let account: Account?

    /// Whether a renewal was answered with the tokens of another account than the one that it was for.
    ///
    /// They are stored under that account, unless this application signed out of it, and are not handed out here. Sign in
    /// interactively, with the account that was asked for as a hint: ``TokenCache/renew(_:timeout:spending:)`` does not spend
    /// the same refresh token again for this application.
    public let isOfAnotherAccount: Bool

    /// The scopes that the server granted, as it wrote them; those that were asked for, where it did not say. Empty for a
    /// response without an access token, and for one of another account.
    public let grantedScopes: [String]

    let engine: Engine
    /// Where the access token is; nil if there is none to be handed out.
    private let token: WrittenToken?
    private let homeAccountID: String?
    private let request: TokenRequest

    init(_ written: WrittenResponse, of request: TokenRequest, granted: [String], engine: Engine) {
        account = written.account?.account(isSignedIn: true)
        isOfAnotherAccount = false
        grantedScopes = granted
        self.engine = engine
        token = written.accessToken
        homeAccountID = written.homeAccountID
        self.request = request
    }

    /// Of a renewal that was answered with another account: whoever asked gets no token of somebody else.
    init(ofAnotherAccount written: WrittenResponse?, _ request: TokenRequest, engine: Engine) {
        account = written?.account?.account(isSignedIn: true)
        isOfAnotherAccount = true
        grantedScopes = []
        self.engine = engine
        token = nil
        homeAccountID = nil
        self.request = request
    }

    /// The access token of the response, whatever its lifetime. Reads what is stored for the account, if that is not known
    /// yet.
    ///
    /// - Returns: nil for a response without one, for one of another account, and where it was replaced or removed since.
    /// - Throws: as ``TokenCache/token(for:)``.
    public func accessToken() throws(TokenCacheError) -> AccessToken? {
        guard let token else { return nil }
        return try engine.accessToken(token, until: engine.newDeadline()) { row, facts in
            PreparedQuery(asking: row, of: facts, homeAccountID: homeAccountID, request)
        }
    }
}

extension SavedTokens: CustomStringConvertible, CustomReflectable {
    /// How many scopes were granted; no identity and nothing of the tokens.
    public var description: String { "SavedTokens(\(grantedScopes.count) scopes)" }

    /// No children: neither tokens nor whose they are get into logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension PreparedQuery {
    /// What a query would ask for to get just this access token.
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
