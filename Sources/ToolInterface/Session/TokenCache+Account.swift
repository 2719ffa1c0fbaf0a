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
        if let account = byID.first, byID.count == 1 || account.id == Account.ID(name) && account.id.issuer != nil {
            return account
        }
        guard byID.isEmpty else {
            throw CommandFailure(
                .usage,
                "\(byID.count) accounts have the id \(name), at different issuers. Use one of these: "
                    + byID.map(\.id.text).joined(separator: ", ") + "."
            )
        }
        let byName = try accounts(matching: AccountFilter(username: name, includesSignedOut: includesSignedOut))
        guard let account = byName.first else {
            throw CommandFailure(.notFound, "There is no account \(name) here. cachetool accounts --all lists them.")
        }
        guard byName.count == 1 else {
            throw CommandFailure(
                .usage,
                "\(byName.count) accounts have the username \(name). Use one of their home account ids: "
                    + byName.map(\.id.text).joined(separator: ", ") + "."
            )
        }
        return account
    }
}
