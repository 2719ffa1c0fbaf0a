// SPDX-License-Identifier: Apache-2.0

public import TokenCaching

extension PublicClient {
    /// The accounts of the group that match a filter.
    ///
    /// - Parameter filter: those that are signed in, by default.
    /// - Returns: the accounts.
    /// - Throws: ``AcquisitionError/Code/cacheFailed``.
    public func accounts(matching filter: AccountFilter = .signedIn) async throws(AcquisitionError) -> [Account] {
        do throws(TokenCacheError) {
            return try await cache.accounts(matching: filter)
        } catch {
            throw AcquisitionError(error)
        }
    }

    /// The account with an id, if it is signed in.
    ///
    /// - Parameter id: the `Account.id`, as in an earlier account.
    /// - Returns: nil if there is none.
    /// - Throws: ``AcquisitionError/Code/cacheFailed``.
    public func account(id: Account.ID) async throws(AcquisitionError) -> Account? {
        try await accounts(matching: AccountFilter(id: id)).first
    }

    /// The account that the application is signed in to, and the one before: for applications with one account at a time.
    ///
    /// - Returns: both; nil in place of an account if there is none.
    /// - Throws: ``AcquisitionError/Code/severalAccounts`` if it is signed in to more than one, at whichever authorities: list
    ///   the ``accounts(matching:)``, and sign out of the others. ``AcquisitionError/Code/cacheFailed``.
    public func currentAccount() async throws(AcquisitionError) -> CurrentAccount {
        do throws(TokenCacheError) {
            return try await cache.currentAccount()
        } catch {
            throw AcquisitionError(error)
        }
    }
}
