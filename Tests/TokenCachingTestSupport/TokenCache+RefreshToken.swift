// SPDX-License-Identifier: Apache-2.0

import TokenCaching

extension TokenCache {
    /// The refresh token that is to be spent for a query.
    func refreshToken(for query: TokenQuery) throws -> RefreshToken {
        guard case .renew(let refreshToken, _) = try token(for: query) else { throw Unexpected() }
        return refreshToken
    }
}
