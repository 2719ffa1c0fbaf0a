internal import UnifiedSchema

/// What became of a token response that was saved.
///
/// Later versions may tell more of it.
public struct SavedTokens: Sendable {
    /// The account as it is now; nil for tokens of the application itself, and where nothing is known of the account but its
    /// id.
    public let account: Account?

    /// The scopes that the server granted, as it wrote them; those that were asked for, where it did not say. Empty for a
    /// response without an access token.
    public let grantedScopes: [String]

    private let engine: Engine
    private let written: WrittenResponse
    private let request: TokenRequest

    init(_ written: WrittenResponse, of request: TokenRequest, granted: [String], engine: Engine) {
        account = written.account?.account(isSignedIn: true, engine: engine)
        grantedScopes = granted
        self.engine = engine
        self.written = written
        self.request = request
    }

    /// The access token of the response, whatever its lifetime. Reads what is stored for the account, if that is not known
    /// yet.
    ///
    /// - Returns: nil for a response without one, and where it was replaced or removed since.
    /// - Throws: as ``TokenCache/token(for:)``.
    public var accessToken: AccessToken? {
        get throws(TokenCacheError) {
            guard let token = written.accessToken else { return nil }
            return try engine.accessToken(token, until: engine.newDeadline()) { row, facts in
                QueryTerms(asking: row, of: facts, homeAccountID: written.homeAccountID, request)
            }
        }
    }
}

extension SavedTokens: CustomStringConvertible, CustomReflectable {
    /// How many scopes were granted; no identity and nothing of the tokens.
    public var description: String { "SavedTokens(\(grantedScopes.count) scopes)" }

    /// No children: neither tokens nor whose they are get into logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension QueryTerms {
    /// What a query would ask for to get just this access token.
    fileprivate convenience init(
        asking row: FactsRow,
        of facts: PartitionFacts,
        homeAccountID: String?,
        _ request: TokenRequest
    ) {
        self.init(
            homeAccountID == nil ? .application : .homeAccountID,
            homeAccountID ?? "",
            [facts.string(row.scopes) ?? ""],
            tenant: facts.string(row.realm),
            environment: facts.string(row.environment),
            TokenQueryOptions(
                tokenType: facts.string(row.tokenType),
                keyID: facts.string(row.keyID),
                isolatedClaims: request.isolatedClaims,
                extendedKey: request.extendedKey,
                applicationIdentifier: request.applicationIdentifier,
                userAssertion: request.userAssertion
            )
        )
    }
}
