// SPDX-License-Identifier: Apache-2.0

public import TokenCaching

extension PublicClient {
    /// Returns the accounts of the group that match a filter.
    ///
    /// - Parameter filter: the filter; by default it matches accounts that are signed in.
    /// - Returns: the accounts.
    /// - Throws: ``AcquisitionError/Code/cacheFailed``.
    public func accounts(matching filter: AccountFilter = .signedIn) async throws(AcquisitionError) -> [Account] {
        try await usingCache(try await cache.accounts(matching: filter))
    }

    /// Returns the account with an id, if it is signed in.
    ///
    /// - Parameter id: the `Account.id` of an earlier result.
    /// - Returns: the account; nil if there is none.
    /// - Throws: ``AcquisitionError/Code/cacheFailed``.
    public func account(id: Account.ID) async throws(AcquisitionError) -> Account? {
        try await accounts(matching: AccountFilter(id: id)).first
    }

    /// Returns the account that the application is signed in to, and the previous one: for applications with one
    /// account at a time.
    ///
    /// - Returns: both accounts; nil in place of one that does not exist.
    /// - Throws: ``AcquisitionError/Code/severalAccounts`` if the application is signed in to more than one account, at
    ///   any authorities: list the ``accounts(matching:)``, and sign out of the others.
    ///   ``AcquisitionError/Code/cacheFailed``.
    public func currentAccount() async throws(AcquisitionError) -> CurrentAccount {
        try await usingCache(try await cache.currentAccount())
    }
}
