// SPDX-License-Identifier: Apache-2.0

/// Why a query gets no access token from the cache: the stored tokens that come nearest, and what each lacks. For tools
/// that explain a lookup to people.
public struct TokenDiagnosis: Hashable, Sendable {
    /// An access token that the cache does not return.
    public struct NearestToken: Hashable, Sendable {
        /// The application that obtained it, folded.
        public let clientID: String
        /// The tenant or other realm, folded; empty if it has none.
        public let tenant: String
        /// The host of the authority, as stored, folded.
        public let environment: String
        /// The granted scopes, as stored.
        public let scopes: [String]
        /// The type, such as `bearer`.
        public let tokenType: String
        /// When it was stored; nil if it does not say.
        public let cachedAt: Timestamp?
        /// When it expires; nil if it does not say.
        public let expiresOn: Timestamp?
        /// What it lacks. Empty for one that is valid and was ignored because the query asks for a new one.
        public let shortfalls: [TokenShortfall]
    }

    /// The refresh token that a renewal would redeem, or the one that comes nearest.
    public struct StoredRefreshToken: Hashable, Sendable {
        /// The application that obtained it, folded: for a family's token possibly another one than the cache's.
        public let clientID: String
        /// The family whose applications may redeem it; nil if only one may.
        public let familyID: String?
        /// The host of the authority, as stored, folded.
        public let environment: String
        /// When it was stored; nil if it does not say.
        public let storedOn: Timestamp?
        /// When it expires; nil if the server did not say, as most do not.
        public let expiresOn: Timestamp?
        /// What keeps it from being redeemed for the query. Empty for the one that would be.
        public let shortfalls: [TokenShortfall]
        /// A refusal because of which no process redeems it now; nil if there is none.
        public let refusal: Refusal?
        /// The scopes of the query that the user or an administrator declined: a renewal returns a stored token with
        /// the others. Folded.
        public let declinedScopes: [String]
    }

    /// A refusal that is in effect.
    public struct Refusal: Hashable, Sendable {
        /// The error code of the server, such as `interaction_required`. Nil if it returned the tokens of another
        /// account.
        public let error: String?
        /// The suberror of the server, if it sent one.
        public let suberror: String?
        /// Until when it is in effect; nil for as long as the refresh token is stored.
        public let until: Timestamp?
        /// Whether the server asked for time, so that the user can do nothing.
        public let isOfServer: Bool
    }

    /// The access token that comes nearest; nil if none is stored for the account, or if the query gets one.
    public let nearestToken: NearestToken?
    /// Nil if no refresh token is stored for the account, or if the query is for an application without an account.
    public let refreshToken: StoredRefreshToken?
}

extension TokenDiagnosis: CustomStringConvertible, CustomReflectable {
    /// What the nearest access token lacks; no identity.
    public var description: String {
        "TokenDiagnosis(" + (nearestToken?.shortfalls.map(\.name).joined(separator: ", ") ?? "no token") + ")"
    }

    /// No children, so that identities do not appear in logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
