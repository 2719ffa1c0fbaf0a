// SPDX-License-Identifier: Apache-2.0

import Operations
import SampleAccounts
import TokenCaching

extension Scene {
    /// Saves what a token endpoint answers for one account.
    ///
    /// - Returns: seconds that the save took, parsing of the response included.
    func save(into cache: TokenCache, account index: Int, round: Int) throws -> Double {
        let request = TokenRequest(
            environment: "login.microsoftonline.com",
            tenant: accounts.tenant(index),
            scopes: SampleAccounts.scopes,
            grant: .renewal,
            accountID: Account.ID(accounts.homeAccountID(index))
        )
        let json = accounts.tokenResponse(index, round: round)
        let watch = Stopwatch()
        _ = try cache.save(TokenResponse(json: json), for: request)
        return watch.seconds
    }
}
