internal import UnifiedSchema

/// What keeps the tokens that a query wants apart from plain ones, as texts of the query. An empty text stands for
/// nothing.
struct IsolationTerms: Sendable {
    /// In the form in which it is compared, but for the claims: these as the query names them.
    let asked: Isolation<TextRange>
    private let comparedClaims: TextRange

    /// In the form in which it is compared.
    var compared: Isolation<TextRange> {
        var compared = asked
        compared.claims = comparedClaims
        return compared
    }

    /// Nil where the options ask for plain tokens.
    init?(_ options: TokenQueryOptions, _ text: inout QueryText) {
        let isolation = options.isolation.map { part in part.map { UTF8Text($0) }.flatMap { $0.isBlank ? nil : $0 } }
        if isolation.isNone { return nil }
        var asked = isolation.comparable
        comparedClaims = text.append(asked.claims?.string ?? "")
        asked.claims = isolation.claims
        self.asked = asked.map { text.append($0?.string ?? "") }
    }
}
