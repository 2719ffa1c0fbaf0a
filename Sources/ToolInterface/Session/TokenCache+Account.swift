// SPDX-License-Identifier: Apache-2.0

public import TokenCaching

extension TokenCache {
    /// Finds an account by its home account id, or else by its username: programs know the first, users the second.
    ///
    /// - Parameters:
    ///   - name: the home account id, or the username.
    ///   - includesSignedOut: whether to include accounts that are signed out.
    /// - Returns: the account.
    /// - Throws: ``CommandFailure`` if there is no such account, or if several have the username.
    public func account(named name: String, includesSignedOut: Bool) throws -> Account {
        let byID = try accounts(matching: AccountFilter(id: Account.ID(name), includesSignedOut: includesSignedOut))
        guard byID.count < 2 else {
            throw CommandFailure(
                .usage,
                "\(byID.count) accounts have the id \(name), at different issuers. Use one of these: "
                    + byID.map(\.id.text).joined(separator: ", ") + "."
            )
        }
        if let account = byID.first, account.id == Account.ID(name) { return account }
        let byName = try accounts(matching: AccountFilter(username: name, includesSignedOut: includesSignedOut))
        // A subject may be the username of somebody else.
        if let account = byID.first, byName.allSatisfy({ $0.id == account.id }) { return account }
        let named = byID + byName.filter { other in !byID.contains { $0.id == other.id } }
        guard let account = named.first else {
            throw CommandFailure(.notFound, "There is no account \(name) here. cachetool accounts --all lists them.")
        }
        guard named.count == 1 else {
            throw CommandFailure(
                .usage,
                "\(named.count) accounts have the username \(name). Use one of their ids: "
                    + named.map(\.id.text).joined(separator: ", ") + "."
            )
        }
        return account
    }
}
