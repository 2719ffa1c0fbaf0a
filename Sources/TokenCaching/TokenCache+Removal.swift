// SPDX-License-Identifier: Apache-2.0

extension TokenCache {
    /// Signs this application out of an account: removes its tokens of the account in all tenants and clouds and
    /// overwrites them in the group's file. Sealed copies from before the file was last rewritten may remain on the
    /// disk; they open with the group's key until `cachetool rekey` changes it.
    ///
    /// From then on the account is not listed as signed in, and silent requests for it fail, until the next interactive
    /// sign-in is saved. Other applications stay signed in; a refresh token that a family of applications shares is
    /// removed when the last of them signs out. Entries that older libraries stored under the account's username are
    /// removed too.
    ///
    /// Signing out of an unknown account is not an error: it makes a renewal in progress fail.
    ///
    /// - Parameter account: an account that the cache returned.
    /// - Throws: ``TokenCacheError/Code/busy``, ``TokenCacheError/Code/timeout``, ``TokenCacheError/Code/readOnly``,
    ///   ``TokenCacheError/Code/indeterminate``, ``TokenCacheError/Code/closed``, ``TokenCacheError/Code/outOfMemory``,
    ///   ``TokenCacheError/Code/forkedProcess``, and ``TokenCacheError/Code/full`` only if overwriting needs space: on
    ///   btrfs, other copy-on-write file systems, and files with shared blocks.
    public func signOut(_ account: Account) throws(TokenCacheError) {
        _ = try reporting(.signOut, try translating(try engine.signOut(of: try AccountName(account), keeping: [])))
    }

    /// Signs this application out of the account with this id, as ``signOut(_:)`` does. The account need not be known.
    ///
    /// - Parameter accountID: an ``Account/id``: a home account id, or the username of an account without one.
    /// - Throws: the errors of ``signOut(_:)``, and ``TokenCacheError/Code/invalidRequest`` for a blank id.
    public func signOut(accountID: Account.ID) throws(TokenCacheError) {
        let name = try translating(try AccountName(accountID, .either))
        _ = try reporting(.signOut, try translating(try engine.signOut(of: name, keeping: [])))
    }

    /// Removes all entries of an account, of every application, and overwrites them as ``signOut(_:)`` does, with the
    /// ``PendingRevocation``s of the account. Every application that had any is signed out of the account. If the account
    /// has no home account id, this reads the whole group, for the tokens in its cloud that name no account.
    ///
    /// - Parameter account: an account that the cache returned.
    /// - Throws: the errors of ``signOut(_:)``.
    public func wipe(_ account: Account) throws(TokenCacheError) {
        try reporting(.wipe, try translating(try engine.wipe(try AccountName(account))))
    }

    /// Removes all entries of the account with this id, of every application, as ``wipe(_:)`` does.
    ///
    /// - Parameter accountID: as for ``signOut(accountID:)``.
    /// - Throws: the errors of ``signOut(accountID:)``.
    public func wipe(accountID: Account.ID) throws(TokenCacheError) {
        try reporting(.wipe, try translating(try engine.wipe(try AccountName(accountID, .either))))
    }

    /// Removes all entries of the group, of every application, and overwrites them as ``signOut(_:)`` does, with all
    /// ``PendingRevocation``s. Only a record remains, of when this was done and by which application. The keys stay.
    ///
    /// - Throws: the errors of ``signOut(_:)``.
    public func clearAll() throws(TokenCacheError) {
        try reporting(.clearAll, try translating(try engine.clear()))
    }

    /// Removes the ``PendingRevocation``s of this application for an account, and overwrites their tokens as
    /// ``signOut(_:)`` does. The tokens stay valid at their server until it ends them.
    ///
    /// - Parameter accountID: as for ``signOut(accountID:)``.
    /// - Returns: the number of tokens that were removed.
    /// - Throws: the errors of ``signOut(accountID:)``.
    @discardableResult
    public func forgetRevocations(accountID: Account.ID) throws(TokenCacheError) -> Int {
        try translating(try engine.forgetRevocations(of: try AccountName(accountID, .either)))
    }

    /// The last removal in the group: what was removed, when, and by which application. The first thing to check if
    /// tokens have disappeared.
    ///
    /// - Returns: nil if nothing was ever removed on purpose. Replaced and expired tokens do not count.
    /// - Throws: the errors of ``accounts(matching:)``.
    public func lastRemoval() throws(TokenCacheError) -> RemovalRecord? {
        try translating(try engine.removalRecord(of: nil))
    }

    /// When all entries of an account were last removed, and by which application.
    ///
    /// - Parameter accountID: as for ``signOut(accountID:)``.
    /// - Returns: nil if the account was never wiped, or the group was cleared since.
    /// - Throws: the errors of ``accounts(matching:)``, and ``TokenCacheError/Code/invalidRequest`` for a blank id.
    public func lastWipe(accountID: Account.ID) throws(TokenCacheError) -> RemovalRecord? {
        try translating(try engine.removalRecord(of: try AccountName(accountID, .either)))
    }
}
