internal import ByteOperations
internal import UnifiedSchema

/// What a query asks for, in the form in which it is compared. Immutable; shared by the query and its answers.
final class PreparedQuery: Sendable {
    /// Whose token is wanted.
    enum Subject: Sendable {
        case homeAccountID
        case username
        case application
    }

    let subject: Subject
    private let text: QueryText
    private let scopes: RequestedScopes
    /// The home account id or the username; empty for an application.
    let account: TextRange
    /// Nil: the account's home tenant.
    let tenant: TextRange?
    /// The same as it was named, for requests: paths of some issuers count case.
    let requestedTenant: String?
    /// What the tenant stands for, where it is a word and no tenant.
    let tenantWord: TenantWord?
    /// Nil: any.
    let environment: TextRange?
    /// Nil: a bearer token.
    let tokenType: TextRange?
    let keyID: TextRange?
    /// What the token is kept apart by; nil for a plain one.
    let isolation: IsolationTerms?
    /// Whether a stored token is passed over, because a new one is wanted.
    let passesStoredTokens: Bool
    /// Whether it is passed over because the caller says so, whatever was asked before.
    let isForced: Bool
    /// The claims of a challenge, byte for byte.
    let claims: TextRange?
    let asksForClaims: Bool
    let allowsExtendedLifetime: Bool
    /// How many seconds before its end a token counts as expired; nil for the usual margin.
    let margin: Int64?

    init(
        _ subject: Subject,
        account: String,
        scopes: [String],
        tenant: String?,
        environment: String?,
        options: TokenQueryOptions?
    ) {
        self.subject = subject
        let ids = account.utf8.count + (tenant?.utf8.count ?? 0) + (environment?.utf8.count ?? 0)
        var text = QueryText(capacity: scopes.reduce(ids) { $0 + $1.utf8.count + 1 })
        self.account = text.appendTrimmed(account)
        self.tenant = tenant.flatMap { text.appendTrimmed($0).unlessEmpty }
        requestedTenant = tenant
        self.environment = environment.flatMap { text.appendTrimmed($0).unlessEmpty }
        text.fold(from: 0)
        self.scopes = RequestedScopes(scopes, in: &text)
        tenantWord = self.tenant.flatMap { TenantWord(text.span($0)) }
        if let options {
            let tokenType = options.tokenType.flatMap { text.appendFolded($0).unlessEmpty }
            self.tokenType = tokenType.flatMap { text.span($0).isEqual(to: "bearer") ? nil : $0 }
            keyID = options.keyID.map { text.append($0) }
            isolation = IsolationTerms(options, &text)
            let claims = options.claimsChallenge.flatMap { $0.utf8.allSatisfy(ASCII.isWhitespace) ? nil : $0 }
            self.claims = claims.map { text.append($0) }
            asksForClaims = claims != nil
            isForced = options.forceRefresh
            passesStoredTokens = isForced || asksForClaims
            allowsExtendedLifetime = options.allowsExtendedLifetime
            margin = options.expirationMargin.map(\.secondsRoundedUp)
        } else {
            (tokenType, keyID, isolation, margin, claims) = (nil, nil, nil, nil, nil)
            (asksForClaims, isForced, passesStoredTokens, allowsExtendedLifetime) = (false, false, false, false)
        }
        self.text = text
    }

    /// The same query, but for whether stored tokens are passed over.
    init(_ other: PreparedQuery, passesStoredTokens: Bool) {
        subject = other.subject
        text = QueryText(copying: other.text)
        scopes = other.scopes
        account = other.account
        tenant = other.tenant
        requestedTenant = other.requestedTenant
        tenantWord = other.tenantWord
        environment = other.environment
        tokenType = other.tokenType
        keyID = other.keyID
        isolation = other.isolation
        self.passesStoredTokens = passesStoredTokens
        isForced = other.isForced && passesStoredTokens
        claims = other.claims
        asksForClaims = other.asksForClaims && passesStoredTokens
        allowsExtendedLifetime = other.allowsExtendedLifetime
        margin = other.margin
    }

    /// The scopes that count, folded, each once.
    var scopeTexts: [String] { scopes.strings(text) }

    /// The bytes of one of the texts.
    @_lifetime(borrow self)
    func span(_ range: TextRange) -> RawSpan {
        // SAFETY: the text is a constant of this object, so its bytes live as long as the object does.
        let all = unsafe _overrideLifetime(text.unsafeBytes, borrowing: self)
        return all.extracting(Int(range.start)..<Int(range.start + range.count))
    }

    /// Whether each scope that counts is among the granted ones, whatever their case.
    func areGranted(in granted: RawSpan) -> Bool { scopes.areGranted(in: granted, text) }

    /// The scopes that count and are not among the granted ones, folded, each once.
    func scopes(declinedBy granted: RawSpan) -> [String] { scopes.declined(by: granted, text) }

    /// Whether the scopes that count are those of a resource, whose name is folded.
    func areScopes(of resource: RawSpan) -> Bool { scopes.belong(to: resource, text) }

    /// Why no cache can answer the query; nil for a proper one.
    var defect: String? {
        if scopes.isEmpty { return "no scope is asked for" }
        switch subject {
        case .homeAccountID, .username: return account.isEmpty ? "no account is named" : nil
        case .application: return tenant == nil ? "no tenant is named" : nil
        }
    }
}

extension TextRange {
    /// Nil where nothing is in it.
    fileprivate var unlessEmpty: TextRange? { isEmpty ? nil : self }
}
