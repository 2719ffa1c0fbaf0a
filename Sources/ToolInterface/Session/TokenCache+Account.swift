// SPDX-License-Identifier: Apache-2.0

public import TokenCaching

extension TokenCache {
    /// Finds an account by its home account id, or else by its username: programs know the first, users the second.
    ///
    /// - Parameters:
    ///   - name: the home account id, or the username.
    ///   - includesSignedOut: whether to include accounts that are signed out.
    ///   - isWholeID: whether the name is a whole id, and not perhaps the subject of an account at an issuer.
    ///   - prefersSignedIn: whether a username of several accounts means the only one that is signed in, as for a lookup.
    ///   - isMeant: which of several accounts with the name are meant; if none is, it says nothing.
    /// - Returns: the account.
    /// - Throws: ``CommandFailure`` if there is no such account, or if several have the username.
    public func account(
        named name: String,
        includesSignedOut: Bool,
        isWholeID: Bool = false,
        prefersSignedIn: Bool = false,
        where isMeant: (Account) -> Bool = { _ in true }
    ) throws -> Account {
        func narrowed(_ accounts: [Account]) -> [Account] {
            let meant = accounts.filter(isMeant)
            return meant.isEmpty ? accounts : meant
        }
        let byID = narrowed(
            try accounts(matching: AccountFilter(id: Account.ID(name), includesSignedOut: includesSignedOut))
                .filter { !isWholeID || $0.id == Account.ID(name) }
        )
        guard byID.count < 2 else {
            let withIssuer = byID.filter { $0.id.issuer != nil }
            var problem =
                "\(byID.count) accounts have the id \(name), at different issuers. Use one of these: "
                + withIssuer.map(\.id.text).joined(separator: ", ") + "."
            if withIssuer.count < byID.count {
                problem +=
                    " One has no issuer: use its username, or sign it out by its account_handle, which cachetool list "
                    + "--json shows."
            }
            throw CommandFailure(.usage, problem)
        }
        if let account = byID.first, account.id == Account.ID(name) { return account }
        let byName = try accounts(matching: AccountFilter(username: name, includesSignedOut: includesSignedOut))
        // A subject may be the username of somebody else.
        if let account = byID.first, byName.allSatisfy({ $0.id == account.id }) { return account }
        let named = narrowed(byID + byName.filter { other in !byID.contains { $0.id == other.id } })
        guard let account = named.first else {
            throw CommandFailure(.notFound, "There is no account \(name) here. cachetool accounts --all lists them.")
        }
        let signedIn = named.filter(\.isSignedIn)
        if prefersSignedIn, byID.isEmpty, signedIn.count == 1 { return signedIn[0] }
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
