// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CacheAdministration
import TokenCaching
import ToolInterface

/// `cachetool accounts`
struct AccountsCommand: GroupCommand {
    static let configuration = CommandConfiguration(
        commandName: "accounts",
        abstract: "List the accounts of a group.",
        discussion: """
            One line for each account, with its tenants and whether it is signed in: an account is signed in if \
            tokens can be obtained for it without prompting the user. With --client, shows accounts as that app \
            sees them; otherwise as seen by all apps of the group.

            EXAMPLES:
              cachetool accounts
              cachetool accounts --all --client 11111111-2222-3333-4444-555555555555
              cachetool accounts --from azure-cli
            """
    )

    @OptionGroup(title: "Account options") var options: AccountOptions
    @OptionGroup(title: "The cache of another library") var document: DocumentOptions
    @OptionGroup(title: "Group options") var group: GroupOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func perform(in session: Session) throws {
        let shown = try document.open(or: group, session)
        let cache = shown.cache
        defer { cache.close() }
        let progress = ProgressLine("Listing", on: session.console)
        defer { progress.finish() }
        let (rows, hidden) = try rows(of: cache, TypedNames(cache, session.console), progress)
        if session.usesJSON {
            let json = JSONWriter(session.console.output)
            json.document {
                json.member("group", shown.groupName)
                json.array("accounts") {
                    for row in rows { json.objectElement { AccountRow.write(row, json) } }
                }
            }
        } else if rows.isEmpty {
            session.console.remark(emptyList(hidden: hidden, session))
        } else {
            Table(AccountRow.columns, of: rows, cells: AccountRow.cells).write(to: session.console)
        }
        try shown.finish()
    }

    private func emptyList(hidden: Int, _ session: Session) -> String {
        if hidden > 0 {
            let accounts = HumanNumber.count(hidden, one: "account is", many: "accounts are")
            return "No account is signed in. \(accounts) signed out: --all shows \(hidden == 1 ? "it" : "them")."
        }
        if options.account == nil, options.tenant == nil { return "There are no accounts here." }
        return session.advised.completed("No account matches. To list all accounts, run cachetool accounts --all.")
    }

    /// The accounts to show, and the number of those not shown because they are signed out.
    private func rows(
        of cache: CacheGroup,
        _ names: TypedNames,
        _ progress: ProgressLine
    ) throws -> (shown: [GroupAccount], hidden: Int) {
        var list: [GroupAccount] = []
        var (count, hidden) = (0, 0)
        let client = try options.client.map { try names.client($0) }
        let account = try options.account.map(names.account)
        let tenant = try options.tenant.map { try names.tenant($0) }
        try cache.forEachAccount(named: account, of: client) { row throws(TokenCacheError) in
            count += 1
            progress.updateNowAndThen(entries: count)
            if let tenant, !row.account.tenantProfiles.contains(where: { $0.isOf(tenant: tenant) }) { return }
            guard options.all || !row.signedInClients.isEmpty else { return hidden += 1 }
            list.append(row)
        }
        progress.finish()
        return (AccountRow.sorted(list), hidden)
    }
}

/// The accounts that `cachetool accounts` lists, and the application whose view it shows.
struct AccountOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Show accounts as this app sees them; the beginning of its id is enough.",
            valueName: "client"
        ),
        completion: NameCompletion.clients
    )
    var client: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Only this account: its home account id or username, or how one of them begins.",
            valueName: "account"
        ),
        completion: NameCompletion.accounts
    )
    var account: String?

    @Option(
        help: ArgumentHelp(
            "Only accounts with a profile in this tenant; its beginning is enough.",
            valueName: "tenant"
        ),
        completion: NameCompletion.tenants
    )
    var tenant: String?

    @Flag(help: "Include signed-out accounts.")
    var all = false
}
