// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import UnifiedSchema

/// The parameters of a query in comparable form. Immutable; shared by the query and its answers.
final class PreparedQuery: Sendable {
    /// How the owner of the wanted token is identified.
    enum Subject: Sendable {
        case homeAccountID
        case username
        case application
    }

    let subject: Subject
    private let text: QueryText
    private let scopes: RequestedScopes
    /// The home account id or the username; empty for an app-only query.
    let account: TextRange
    /// Nil for the account's home tenant.
    let tenant: TextRange?
    /// The tenant as given, for requests: the paths of some issuers are case-sensitive.
    let requestedTenant: String?
    /// Whether the tenant was given as an empty text: an issuer whose URL has no path.
    let isForIssuerWithoutPath: Bool
    /// The meaning of the tenant, if it is a word such as `common`.
    let tenantWord: TenantWord?
    /// Nil for any.
    let environment: TextRange?
    /// Nil for a bearer token.
    let tokenType: TextRange?
    let keyID: TextRange?
    /// The isolation of the token; nil for a plain one.
    let isolation: IsolationTerms?
    let matchesAllRefreshTokens: Bool
    /// Whether stored tokens are ignored because the caller wants a new one.
    let ignoresStoredTokens: Bool
    /// Whether they are ignored because the caller set the option, regardless of earlier refusals.
    let isForced: Bool
    /// The claims of a challenge, byte for byte.
    let claims: TextRange?
    let asksForClaims: Bool
    let allowsExtendedLifetime: Bool
    /// How many seconds before its expiry a token counts as expired; nil for the default margin.
    let margin: Int64?
    /// The reason that no cache can answer the query, because something required is missing; nil if nothing is.
    let defect: String?

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
        isForIssuerWithoutPath = tenant?.isEmpty == true
        self.environment = environment.flatMap { text.appendTrimmed($0).unlessEmpty }
        self.scopes = RequestedScopes(scopes, in: &text)
        // An issuer and its subjects are compared byte for byte.
        let isAtIssuer = subject == .homeAccountID && HomeAccountID.atIssuer(text.span(self.account)) != nil
        text.fold(from: isAtIssuer ? Int(self.account.start + self.account.count) : 0)
        tenantWord = self.tenant.flatMap { TenantWord(text.span($0)) }
        if let options {
            let tokenType = options.tokenType.flatMap { text.appendFolded($0).unlessEmpty }
            self.tokenType = tokenType.flatMap { text.span($0).isEqual(to: "bearer") ? nil : $0 }
            keyID = options.keyID.map { text.append($0) }
            isolation = IsolationTerms(options, &text)
            // Some applications pass an empty object if there are no claims.
            let claims = options.claimsChallenge.flatMap { $0.isBlankOrEmptyObject ? nil : $0 }
            self.claims = claims.map { text.append($0) }
            asksForClaims = claims != nil
            isForced = options.forceRefresh
            ignoresStoredTokens = isForced || asksForClaims
            allowsExtendedLifetime = options.allowsExtendedLifetime
            margin = options.expirationMargin.map(\.secondsRoundedUp)
            matchesAllRefreshTokens = options.matchesAllRefreshTokens
        } else {
            (tokenType, keyID, isolation, margin, claims) = (nil, nil, nil, nil, nil)
            (asksForClaims, isForced, ignoresStoredTokens, allowsExtendedLifetime) = (false, false, false, false)
            matchesAllRefreshTokens = false
        }
        self.text = text
        defect = Self.defect(
            subject,
            namesAccount: !self.account.isEmpty,
            namesScopes: !self.scopes.isEmpty,
            namesTenant: self.tenant != nil || isForIssuerWithoutPath && self.environment != nil
        )
    }

    private static func defect(
        _ subject: Subject,
        namesAccount: Bool,
        namesScopes: Bool,
        namesTenant: Bool
    ) -> String? {
        guard namesScopes else { return "the query has no scopes" }
        switch subject {
        case .homeAccountID, .username: return namesAccount ? nil : "the query names no account"
        case .application: return namesTenant ? nil : "no tenant is given"
        }
    }

    /// Why the environment, tenant or scopes are invalid; nil if they are valid. Checked only if no stored token answers the
    /// query, because what equals a stored text is valid.
    var textDefect: String? {
        // The tenant and the environment are behind the account, and before the scopes.
        let start = account.start + account.count
        let ids = span(TextRange(start: start, count: scopes.range.start - start))
        if !QueryDefect.arePlain(ids) || environment.map({ QueryDefect.needsLook(span($0)) }) == true {
            if let environment, let defect = QueryDefect.ofEnvironment(span(environment)) { return defect }
            if let tenant, let defect = QueryDefect.ofTenant(span(tenant)) { return defect }
        }
        return QueryDefect.ofScopes(span(scopes.range))
    }

    /// The same query, with or without ignoring stored tokens.
    init(_ other: PreparedQuery, ignoresStoredTokens: Bool) {
        subject = other.subject
        text = QueryText(copying: other.text)
        scopes = other.scopes
        account = other.account
        tenant = other.tenant
        requestedTenant = other.requestedTenant
        isForIssuerWithoutPath = other.isForIssuerWithoutPath
        tenantWord = other.tenantWord
        environment = other.environment
        tokenType = other.tokenType
        keyID = other.keyID
        isolation = other.isolation
        self.ignoresStoredTokens = ignoresStoredTokens
        isForced = other.isForced && ignoresStoredTokens
        claims = other.claims
        asksForClaims = other.asksForClaims && ignoresStoredTokens
        allowsExtendedLifetime = other.allowsExtendedLifetime
        margin = other.margin
        matchesAllRefreshTokens = other.matchesAllRefreshTokens
        defect = other.defect
    }

    /// Whether the account is named by an id that may be the subject of accounts at one or several issuers.
    var mayNameSubject: Bool {
        subject == .homeAccountID && UTF8Text(utf8: span(account)).map(HomeAccountID.mayBeSubject) ?? false
    }

    /// The relevant scopes, folded, without duplicates.
    var scopeTexts: [String] { scopes.strings(text) }

    /// The bytes of a range of the text.
    @_lifetime(borrow self)
    func span(_ range: TextRange) -> RawSpan {
        // SAFETY: the text is a constant of this object, so its bytes live as long as the object does.
        let all = unsafe _overrideLifetime(text.unsafeBytes, borrowing: self)
        return all.extracting(Int(range.start)..<Int(range.start + range.count))
    }

    /// Whether all relevant scopes were granted, in any case.
    func areGranted(in granted: RawSpan) -> Bool { scopes.areGranted(in: granted, text) }

    /// The relevant scopes that were not granted, folded, without duplicates.
    func scopes(declinedBy granted: RawSpan) -> [String] { scopes.declined(by: granted, text) }

    /// Whether all relevant scopes belong to the resource with this folded name.
    func areScopes(of resource: RawSpan) -> Bool { scopes.belong(to: resource, text) }
}

extension String {
    /// Whether it is blank, or a JSON object without members.
    fileprivate var isBlankOrEmptyObject: Bool {
        let text = utf8.filter { !ASCII.isWhitespace($0) }
        return text.isEmpty || Array(text) == Array("{}".utf8)
    }
}

extension TextRange {
    /// Nil if the range is empty.
    fileprivate var unlessEmpty: TextRange? { isEmpty ? nil : self }
}

/// The isolation of the tokens that a query matches, as ranges of the query's text. An empty range means none.
struct IsolationTerms: Sendable {
    /// In comparable form, except for the claims, which are as given in the query.
    let asked: Isolation<TextRange>
    private let comparedClaims: TextRange

    /// In comparable form.
    var compared: Isolation<TextRange> {
        var compared = asked
        compared.claims = comparedClaims
        return compared
    }

    /// Nil if the options request plain tokens.
    init?(_ options: TokenQueryOptions, _ text: inout QueryText) {
        let isolation = options.isolation.map { part in part.map { UTF8Text($0) }.flatMap { $0.isBlank ? nil : $0 } }
        if isolation.isNone { return nil }
        var asked = isolation.comparable
        comparedClaims = text.append(asked.claims?.string ?? "")
        asked.claims = isolation.claims
        self.asked = asked.map { text.append($0?.string ?? "") }
    }
}
