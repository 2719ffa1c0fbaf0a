// SPDX-License-Identifier: Apache-2.0

/// Why a query gets no access token from the cache: the nearest stored tokens, and what each lacks. For tools that
/// explain a lookup to people.
public struct TokenDiagnosis: Hashable, Sendable {
    /// An access token that the cache does not return.
    public struct NearestToken: Hashable, Sendable {
        /// The application that obtained it, folded.
        public let clientID: String
        /// The tenant or other realm, folded; nil if it has none.
        public let tenant: String?
        /// The host of the authority, as stored, folded.
        public let environment: String
        /// The granted scopes, as stored.
        public let scopes: [String]
        /// The type, such as `bearer`.
        public let tokenType: String
        /// When it was stored; nil if that was not recorded.
        public let cachedAt: Timestamp?
        /// When it expires; nil if that was not recorded.
        public let expiresOn: Timestamp?
        /// What it lacks. Empty if it is valid but the query asks for a new one.
        public let shortfalls: [TokenShortfall]
    }

    /// The refresh token that a renewal would redeem; otherwise the nearest one.
    public struct StoredRefreshToken: Hashable, Sendable {
        /// The application that obtained it, folded: for a family's token possibly a different application from the
        /// cache's.
        public let clientID: String
        /// The family whose applications may redeem it; nil if only one application may.
        public let familyID: String?
        /// The host of the authority, as stored, folded.
        public let environment: String
        /// When it was stored; nil if that was not recorded.
        public let cachedAt: Timestamp?
        /// When it expires; nil if the server did not say, as most do not.
        public let expiresOn: Timestamp?
        /// What keeps it from being redeemed for the query. Empty if a renewal would redeem it.
        public let shortfalls: [TokenShortfall]
        /// A refusal that keeps every process from redeeming it now; nil if there is none.
        public let refusal: Refusal?
        /// The scopes of the query that the user or an administrator declined, folded. A renewal returns a stored token
        /// with the remaining scopes.
        public let declinedScopes: [String]
    }

    /// A refusal that is in effect.
    public struct Refusal: Hashable, Sendable {
        /// The error code of the server, such as `interaction_required`. Nil if the server returned another account's
        /// tokens.
        public let error: String?
        /// The suberror of the server, if it sent one.
        public let suberror: String?
        /// When it ends; nil if it lasts as long as the refresh token is stored.
        public let until: Timestamp?
        /// Whether the server asked to wait, in which case the user can do nothing.
        public let isServerBusy: Bool
    }

    /// The nearest access token; nil if none is stored for the account, or if the query gets one.
    public let nearestToken: NearestToken?
    /// Nil if no refresh token is stored for the account, or if the query is for an application without an account.
    public let refreshToken: StoredRefreshToken?
    /// The accounts with the username of the query, sorted by id, between which the query does not decide: what a user or an
    /// application chooses from, by tenant, environment or home account id. Otherwise empty.
    public let accounts: [Account]
}

extension TokenDiagnosis: CustomStringConvertible, CustomReflectable {
    /// What the nearest access token lacks; no identity.
    public var description: String {
        "TokenDiagnosis(" + (nearestToken?.shortfalls.map(\.name).joined(separator: ", ") ?? "no token") + ")"
    }

    /// No children, so that identities do not appear in logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
