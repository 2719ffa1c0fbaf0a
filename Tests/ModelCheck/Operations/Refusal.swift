// SPDX-License-Identifier: Apache-2.0

/// What a token endpoint says when it refuses a refresh token.
enum Refusal: Hashable, Sendable {
    case dead
    case clientMismatch
    case interactionRequired
    /// `invalid_grant`, and no word why.
    case bare

    var error: String { self == .interactionRequired ? "interaction_required" : "invalid_grant" }

    var suberror: String? {
        switch self {
        case .dead: "bad_token"
        case .clientMismatch: "client_mismatch"
        case .interactionRequired, .bare: nil
        }
    }
}
