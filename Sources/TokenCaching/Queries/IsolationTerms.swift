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

/// What names the parts of ``Isolation`` in the public interface: queries, and the requests that responses answer.
protocol IsolatedRequest {
    var isolatedClaims: String? { get set }
    var extendedCacheKey: ExtendedCacheKey? { get set }
    var applicationIdentifier: String? { get set }
    var userAssertion: UserAssertionHash? { get set }
}

extension TokenQueryOptions: IsolatedRequest {}
extension TokenRequest: IsolatedRequest {}

extension IsolatedRequest {
    /// What keeps the token apart from plain ones, part by part.
    var isolation: Isolation<String?> {
        get {
            Isolation(
                claims: isolatedClaims,
                extendedKey: extendedCacheKey?.hash,
                application: applicationIdentifier,
                assertionHash: userAssertion?.base64URL
            )
        }
        set {
            isolatedClaims = newValue.claims
            extendedCacheKey = newValue.extendedKey.map { ExtendedCacheKey(hash: $0) }
            applicationIdentifier = newValue.application
            userAssertion = newValue.assertionHash.map { UserAssertionHash(hash: $0) }
        }
    }
}
