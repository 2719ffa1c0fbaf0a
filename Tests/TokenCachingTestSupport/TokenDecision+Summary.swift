// SPDX-License-Identifier: Apache-2.0

import TokenCaching

extension TokenDecision {
    /// The decision in one word, for comparing: the secret of a token, and what else counts.
    func summary() throws -> String {
        switch self {
        case .valid(let token):
            return "valid \(try token.secretString)" + (token.shouldRenew ? " renew" : "")
        case .renew(let token, let stillValid):
            return "renew \(try token.secretString)" + (try stillValid.map { " beside \(try $0.secretString)" } ?? "")
        case .interactionRequired(let reason):
            return "interaction \(reason)"
        }
    }
}

extension TokenResult {
    /// The same of what came of a renewal.
    func summary() throws -> String {
        switch self {
        case .valid(let token):
            return "valid \(try token.secretString)" + (token.shouldRenew ? " renew" : "")
        case .interactionRequired(let interaction):
            return "interaction \(interaction.reason)"
        case .scopesDeclined(let grant):
            return "declined \(grant.declinedScopes.joined(separator: " ")) with \(try grant.accessToken.secretString)"
        }
    }
}
