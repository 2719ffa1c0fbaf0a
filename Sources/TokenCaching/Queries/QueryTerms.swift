internal import UnifiedSchema

/// What a query asks for, in the form in which it is compared. Immutable; shared by the query and its answers.
final class QueryTerms: Sendable {
    /// Whose token is wanted.
    enum Subject: Sendable {
        case homeAccountID
        case username
        case application
    }

    let subject: Subject
    let text: PackedText
    /// The home account id or the username; empty for an application.
    let account: TextRange
    /// Nil: the account's home tenant.
    let tenant: TextRange?
    /// What the tenant stands for, where it is a word and no tenant.
    let tenantWord: TenantWord?
    /// Nil: any.
    let environment: TextRange?
    /// Nil: a bearer token.
    let tokenType: TextRange?
    let keyID: TextRange?
    /// Folded and without repetitions; reserved ones only where there is nothing else.
    let scopes: [TextRange]
    let passesStoredTokens: Bool
    let asksForClaims: Bool
    let serverIsUnavailable: Bool
    let expiryBuffer: Int64?

    init(
        _ subject: Subject,
        _ account: String,
        _ scopes: [String],
        tenant: String?,
        environment: String?,
        _ options: TokenQueryOptions
    ) {
        self.subject = subject
        var text = PackedText(reserving: 256)
        self.account = text.appendFolded(account)
        self.tenant = tenant.flatMap { text.appendNonblank($0) }
        self.environment = environment.flatMap { text.appendNonblank($0) }
        let tokenType = options.tokenType.flatMap { text.appendNonblank($0) }
        self.tokenType = tokenType.flatMap { text.span($0).isEqual(to: "bearer") ? nil : $0 }
        keyID = options.keyID.map { text.append($0) }
        self.scopes = RequestedScopes.append(scopes, to: &text)
        tenantWord = self.tenant.flatMap { TenantWord(rawValue: text.string($0)) }
        asksForClaims = options.claims.map { !$0.utf8.allSatisfy(ASCIIText.isSpace) } ?? false
        passesStoredTokens = options.forceRefresh || asksForClaims
        serverIsUnavailable = options.serverIsUnavailable
        expiryBuffer = options.expiryBuffer
        self.text = text
    }

    /// Why no cache can answer the query; nil for a proper one.
    var defect: String? {
        if scopes.isEmpty { return "no scope is asked for" }
        switch subject {
        case .homeAccountID, .username: return account.isEmpty ? "no account is named" : nil
        case .application: return tenant == nil ? "no tenant is named" : nil
        }
    }
}

extension PackedText {
    /// Puts in `text`, trimmed and folded; nil where nothing is left of it.
    mutating func appendNonblank(_ text: String) -> TextRange? {
        let range = appendFolded(text)
        return range.isEmpty ? nil : range
    }
}
