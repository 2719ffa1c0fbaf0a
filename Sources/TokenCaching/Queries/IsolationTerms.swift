internal import ByteOperations
internal import Sealing
internal import UnifiedSchema

/// What keeps the tokens that a query wants apart from plain ones, in the form in which it is compared. An empty text
/// stands for nothing.
struct IsolationTerms: Sendable {
    private(set) var claims = TextRange.none
    /// The hash of the claims that MSAL.js writes; some of its entries have nothing else.
    private(set) var claimsHash = TextRange.none
    private(set) var extendedKey = TextRange.none
    private(set) var application = TextRange.none
    private(set) var assertion = TextRange.none

    /// Nil where the options ask for plain tokens.
    init?(_ options: TokenQueryOptions, _ text: inout QueryText) {
        guard
            options.isolatedClaims != nil || options.extendedKey != nil || options.applicationIdentifier != nil
                || options.userAssertion != nil
        else { return nil }
        if let given = options.isolatedClaims, !given.utf8.allSatisfy(ASCII.isWhitespace) {
            claims = text.append(given)
            claimsHash = text.append(ClaimsDigest.javaScript(UTF8Text(given)))
        }
        if let key = options.extendedKey { extendedKey = text.append(key.hash) }
        if let identifier = options.applicationIdentifier { application = text.appendFolded(identifier) }
        if let hash = options.userAssertion { assertion = text.append(hash.text) }
        if claims.isEmpty, extendedKey.isEmpty, application.isEmpty, assertion.isEmpty { return nil }
    }
}

extension TextRange {
    fileprivate static let none = TextRange(start: 0, count: 0)
}
