// SPDX-License-Identifier: Apache-2.0

import TokenCaching

/// What a lookup answered, with secrets in clear.
enum TokenDecisionSummary: Hashable {
    case valid(String)
    case renew(String, stillValid: String?)
    case interaction(String)
    case refused(String)

    init(_ decision: TokenDecision) throws(TokenCacheError) {
        switch decision {
        case .valid(let token):
            let notes = (token.isExtended ? " extended" : "") + (token.shouldRenew ? " renew" : "")
            self = .valid(try token.secretString + notes)
        case .renew(let token, let stillValid):
            self = .renew(try token.secretString, stillValid: try stillValid?.secretString)
        case .interactionRequired(let reason): self = .interaction("\(reason)")
        }
    }

    func fits(_ expected: ExpectedDecision) -> Bool {
        switch (self, expected) {
        case (.valid(let token), .valid(let tokens)): tokens.contains(token)
        case (.renew(let token, let beside), .renew(let tokens, let stillValid)):
            tokens.contains(token)
                && (stillValid.map { tokens in beside.map(tokens.contains) ?? false } ?? (beside == nil))
        case (.interaction(let reason), .interaction(let expected)): reason == expected
        case (.refused(let code), .refused(let expected)): code == expected
        default: false
        }
    }
}
