// SPDX-License-Identifier: Apache-2.0

/// What a token endpoint sent, and what it answered to.
struct Response: Hashable, Sendable {
    enum Grant: Hashable, Sendable {
        case interactive
        case renewal
        case application
    }

    var environment: String
    var tenant: String
    var scopes: [String]
    var grant: Grant
    var account: String?
    var keyID: String?
    var isolatedClaims: String?
    var applicationIdentifier: String?
    var userAssertion: String?

    var accessToken: String?
    var refreshToken: String?
    /// The claims of the id token; nil where there is none.
    var claims: [String: String]?
    /// `uid.utid`.
    var clientInfo: String?
    var granted: [String]?
    var expiresIn: Int64?
    var extendedExpiresIn: Int64?
    var refreshIn: Int64?
    var family: String?
    var tokenType: String?

    var username: String? { claims?["preferred_username"] ?? claims?["upn"] }
}
