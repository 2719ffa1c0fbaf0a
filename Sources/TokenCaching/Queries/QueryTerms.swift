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
    private let text: FixedArray<UInt8>
    /// Folded and without repetitions; reserved ones only where there is nothing else.
    private let scopes: FixedArray<TextRange>
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
    /// What the token is kept apart by; nil for a plain one.
    let isolation: IsolationTerms?
    /// Whether a stored token is passed over, because a new one is wanted.
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
        isolation = IsolationTerms(options, &text)
        self.scopes = FixedArray(RequestedScopes.append(scopes, to: &text))
        tenantWord = self.tenant.flatMap { TenantWord(folded: text.span($0)) }
        asksForClaims = options.claims.map { !$0.utf8.allSatisfy(ASCIIText.isSpace) } ?? false
        passesStoredTokens = options.forceRefresh || asksForClaims
        serverIsUnavailable = options.serverIsUnavailable
        expiryBuffer = options.expiryBuffer
        self.text = FixedArray(text.bytes)
    }

    /// The same query, but for whether stored tokens are passed over.
    init(_ other: QueryTerms, passesStoredTokens: Bool) {
        subject = other.subject
        text = FixedArray((0..<other.text.count).map { other.text[$0] })
        scopes = FixedArray((0..<other.scopes.count).map { other.scopes[$0] })
        account = other.account
        tenant = other.tenant
        tenantWord = other.tenantWord
        environment = other.environment
        tokenType = other.tokenType
        keyID = other.keyID
        isolation = other.isolation
        self.passesStoredTokens = passesStoredTokens
        asksForClaims = other.asksForClaims && passesStoredTokens
        serverIsUnavailable = other.serverIsUnavailable
        expiryBuffer = other.expiryBuffer
    }

    /// The scopes that count, folded.
    var scopeTexts: [String] { (0..<scopes.count).map { String(copying: span(scopes[$0])) } }

    /// The bytes of one of the texts.
    @_lifetime(borrow self)
    func span(_ range: TextRange) -> RawSpan {
        // SAFETY: the text is a constant of this object, so its bytes live as long as the object does.
        let all = unsafe _overrideLifetime(text.unsafeBytes, borrowing: self)
        return all.extracting(Int(range.start)..<Int(range.start + range.count))
    }

    var scopeCount: Int { scopes.count }

    /// Whether each scope that counts is among the granted ones, whatever their case.
    func areGranted(in granted: RawSpan) -> Bool {
        for index in 0..<scopes.count where !granted.hasWord(folded: span(scopes[index])) { return false }
        return true
    }

    /// Whether scopes are asked for that are not reserved, and each of them begins with the name of a resource, folded, and
    /// a slash. Slashes at the end of the name do not count.
    func areScopes(of resource: RawSpan) -> Bool {
        var length = resource.byteCount
        while length > 0, resource.byte(at: length - 1) == UInt8(ascii: "/") { length -= 1 }
        var isOfResource = false
        for index in 0..<scopes.count {
            let scope = span(scopes[index])
            if RequestedScopes.isReserved(folded: scope) { continue }
            guard length > 0, scope.byteCount > length, scope.byte(at: length) == UInt8(ascii: "/"),
                scope.extracting(0..<length).isEqual(to: resource.extracting(0..<length))
            else { return false }
            isOfResource = true
        }
        return isOfResource
    }

    /// Why no cache can answer the query; nil for a proper one.
    var defect: String? {
        if scopes.count == 0 { return "no scope is asked for" }
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

extension TenantWord {
    /// The word that a folded tenant is; nil for a tenant.
    fileprivate init?(folded tenant: RawSpan) {
        if tenant.isEqual(to: "common") {
            self = .common
        } else if tenant.isEqual(to: "organizations") {
            self = .organizations
        } else if tenant.isEqual(to: "consumers") {
            self = .consumers
        } else {
            return nil
        }
    }
}
