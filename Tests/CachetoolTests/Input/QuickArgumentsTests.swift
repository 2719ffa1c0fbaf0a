import ArgumentParser
import Testing

@testable import cachetool

@Suite("Command lines that are read without the parser")
struct QuickArgumentsTests {
    /// What a command was told, in a form that can be compared.
    private func settings(_ command: any GroupCommand) -> [String] {
        let group = command.group
        var result: [String] = [
            "group \(group.group ?? "-")", "root \(group.root ?? "-")", "storage \(group.storage)",
            "key \(group.keyFile ?? "-")", "fd \(group.passphraseFd ?? -1)", "timeout \(group.timeout.duration)",
            "json \(command.output.json)", "ask \(command.output.noPrompt)", "quiet \(command.output.quiet)",
        ]
        if let list = command as? ListCommand {
            let filters = list.filters
            result += [
                "list", filters.account ?? "-", filters.client ?? "-", filters.tenant ?? "-", "\(filters.kind.count)",
                "\(filters.expired)",
            ]
        }
        if let lookup = command as? LookupCommand {
            let options = lookup.options
            result += [
                "lookup", options.account ?? "-", options.client, options.scopes, options.tenant ?? "-",
                options.environment ?? "-", options.claims ?? "-", "\(lookup.reveal.reveal)", "\(lookup.reveal.yes)",
            ]
        }
        return result
    }

    @Test(
        "they mean what the parser would make of them",
        arguments: [
            ["list"], ["list", "--json"], ["list", "-q", "--no-prompt"], ["list", "--quiet"],
            ["list", "--group", "g", "--root", "/r", "--key-file", "/k", "--passphrase-fd", "3"],
            ["list", "--account", "a", "--client", "c", "--tenant", "t", "--expired"],
            ["lookup", "--client", "c", "--scopes", "a b"],
            ["lookup", "--scopes", "", "--client", "c", "--account", "a", "--tenant", "t", "--environment", "e"],
            ["lookup", "--client", "c", "--scopes", "s", "--claims", "{}", "--reveal", "--yes", "--json"],
            ["lookup", "--client", "c", "--scopes", "s", "-y", "--group", "g"],
        ]
    )
    func same(arguments: [String]) throws {
        let quick = try #require(QuickArguments.command(arguments))
        let parsed = try #require(try Cachetool.parseAsRoot(arguments) as? any GroupCommand)
        #expect(settings(quick) == settings(parsed))
    }

    @Test(
        "anything else is left to the parser",
        arguments: [
            [], ["--help"], ["list", "--help"], ["list", "-h"], ["list", "--json", "--json"], ["list", "--group=g"],
            ["list", "--group"], ["list", "--group", "a", "--group", "b"], ["list", "--group", "--json"],
            ["list", "x"],
            ["list", "--kind", "account"], ["list", "--timeout", "3"], ["list", "--storage", "file"], ["list", "--"],
            ["list", "--passphrase-fd", "x"], ["lookup", "--client", "c"], ["lookup", "--scopes", "s"], ["accounts"],
            ["LIST"], ["help", "list"], ["list", "--version"],
        ]
    )
    func left(arguments: [String]) {
        #expect(QuickArguments.command(arguments) == nil)
    }

    @Test(
        "an account id and a client id may begin with a hyphen",
        arguments: [
            ["lookup", "--scopes", "s", "--client", "-c", "--account", "-1ZbClB2"],
            ["list", "--account", "-1ZbClB2", "--client", "-c"],
            ["accounts", "--account", "-1ZbClB2", "--client", "-c"],
            ["clear", "--account", "-1ZbClB2", "--client", "-c"],
            ["sign-out", "--client", "-c", "--", "-1ZbClB2"],
        ]
    )
    func hyphens(arguments: [String]) throws {
        let parsed = try Cachetool.parseAsRoot(arguments)
        let names: [String?] =
            switch parsed {
            case let lookup as LookupCommand: [lookup.options.account, lookup.options.client]
            case let list as ListCommand: [list.filters.account, list.filters.client]
            case let accounts as AccountsCommand: [accounts.options.account, accounts.options.client]
            case let clear as ClearCommand: [clear.filters.account, clear.filters.client]
            case let signOut as SignOutCommand: [signOut.account, signOut.options.client]
            default: []
            }
        #expect(names == ["-1ZbClB2", "-c"])
    }
}
