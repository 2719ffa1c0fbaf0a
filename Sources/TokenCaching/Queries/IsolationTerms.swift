// SPDX-License-Identifier: Apache-2.0

internal import UnifiedSchema

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
