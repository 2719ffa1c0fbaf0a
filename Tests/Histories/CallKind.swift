// SPDX-License-Identifier: Apache-2.0

/// What a worker asked the cache for, about one account.
package enum CallKind: String, Sendable, CaseIterable {
    /// Save what an interactive sign-in gave.
    case save
    /// Look the access token up.
    case token
    /// Look the refresh token up.
    case refresh
    /// Look whether the account is listed as signed in.
    case list
    /// Get new tokens, whatever there is.
    case renew
    /// Sign out.
    case leave
}
