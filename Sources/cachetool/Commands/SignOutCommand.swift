// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CacheAdministration
import TokenCaching
import ToolInterface

/// `cachetool sign-out`
struct SignOutCommand: GroupCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-out",
        abstract: "Sign an account out of one app.",
        discussion: """
            Removes that app's tokens of the account, in all tenants and clouds, and remembers that the account is \
            signed out there: only an interactive sign-in by the user brings it back. Other apps stay signed \
            in; a refresh token shared by a family of apps is removed when the last of them signs out.

            An id that begins with a hyphen goes last, after two hyphens.

            EXAMPLES:
              cachetool sign-out adele@contoso.example \\
                  --client 11111111-2222-3333-4444-555555555555
              cachetool sign-out --client 11111111-2222-3333-4444-555555555555 \\
                  -- -1ZbClB2y0ClAD2i7ChQA
            """
    )

    @Argument(help: ArgumentHelp("A home account id, or its beginning, or a username.", valueName: "account"))
    var account: String

    @OptionGroup(title: "Sign-out options") var options: SignOutOptions
    @OptionGroup(title: "Group options") var group: GroupOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func perform(in session: Session) throws {
        let group = try session.open(.readWrite)
        defer { group.close() }
        let names = TypedNames(group, session.console, isForRemoval: true)
        let wanted = try names.account(self.account)
        let client = try names.client(options.client, of: wanted)
        let cache = try group.tokenCache(clientID: client)
        let account = try find(wanted, in: cache)
        if account.isSignedIn {
            try session.prompt.confirm("Sign \(name(account)) out of app \(client)?", isAnswered: options.yes)
        }
        try cache.signOut(account)
        if session.usesJSON {
            let json = JSONWriter(session.console.output)
            json.document {
                json.member("group", session.groupName)
                json.member("client_id", client)
                json.member("username", account.username)
                json.member("home_account_id", account.hasHomeAccountID ? account.id.text : nil)
                json.member("was_signed_in", account.isSignedIn)
            }
        } else {
            session.console.remark(
                account.isSignedIn
                    ? "\(name(account)) is signed out of app \(client)."
                    : "\(name(account)) was not signed in to app \(client); it is now marked as signed out."
            )
        }
    }

    private func name(_ account: Account) -> String { account.username.isEmpty ? account.id.text : account.username }

    /// By home account id, then by username.
    private func find(_ wanted: String, in cache: TokenCache) throws -> Account {
        let byID = try cache.accounts(matching: AccountFilter(id: Account.ID(wanted), includesSignedOut: true))
        if let account = byID.first { return account }
        let byName = try cache.accounts(matching: AccountFilter(username: wanted, includesSignedOut: true))
        guard let account = byName.first else {
            throw CommandFailure(
                .notFound,
                "There is no account \(wanted) here. cachetool accounts --all lists them."
            )
        }
        guard byName.count == 1 else {
            throw CommandFailure(
                .usage,
                "\(byName.count) accounts have the username \(wanted): use a home account id. There are "
                    + byName.map(\.id.text).joined(separator: ", ") + "."
            )
        }
        return account
    }
}
