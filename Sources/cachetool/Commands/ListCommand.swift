// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CacheAdministration
import TokenCaching
import ToolInterface

/// `cachetool list`
struct ListCommand: GroupCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the entries of a group: kind, account, client, scopes, expiry.",
        discussion: """
            Shows what is in the cache without opening any token. The ID in the first column is what cachetool inspect \
            takes. All filters must match; without any, everything is listed.

            --file and --from show the cache of another library as it is, without a group: it is read into memory, \
            and nothing is written.

            EXAMPLES:
              cachetool list
              cachetool list --account adele@contoso.example --kind AccessToken
              cachetool list --expired --json
              cachetool list --file ~/.azure/msal_token_cache.json
            """
    )

    @OptionGroup(title: "Filters") var filters: EntryFilterOptions
    @OptionGroup(title: "The cache of another library") var document: DocumentOptions
    @OptionGroup(title: "Group options") var group: GroupOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func perform(in session: Session) throws {
        let shown = try document.open(or: group, session)
        let cache = shown.cache
        defer { cache.close() }
        let filter = try filters.filter(TypedNames(cache, session.console), session.console.now)
        let progress = ProgressLine("Listing", on: session.console)
        defer { progress.finish() }
        let list = try entries(of: cache, matching: filter, progress)
        progress.finish()
        if session.usesJSON {
            write(list, of: shown, in: session)
        } else {
            if list.entries.isEmpty {
                session.console.remark(emptyList(session))
            } else {
                let now = session.console.now
                Table(EntryRow.columns, of: list.entries) { EntryRow.cells($0, now: now) }.write(to: session.console)
            }
        }
        try report(list.unreadable)
        try shown.finish()
    }

    /// The entries in an order that does not depend on the group, and the number of those that cannot be read.
    private func entries(
        of cache: CacheGroup,
        matching filter: EntryFilter,
        _ progress: ProgressLine
    ) throws -> (entries: [EntrySummary], unreadable: Int) {
        var entries: [EntrySummary] = []
        let unreadable = try cache.forEachEntry(
            matching: filter,
            readingNewest: false,
            progress: progress.handlerWithoutInterruption
        ) { entry throws(TokenCacheError) in
            entries.append(entry)
        }
        return (EntryRow.sorted(entries), unreadable)
    }

    private func write(
        _ list: (entries: [EntrySummary], unreadable: Int),
        of shown: ShownCache,
        in session: Session
    ) {
        let json = JSONWriter(session.console.output)
        json.document {
            json.member("group", shown.groupName)
            json.array("entries") {
                for entry in list.entries {
                    json.objectElement { EntryRow.write(entry, now: session.console.now, json) }
                }
            }
            json.member("unreadable", list.unreadable)
        }
    }

    private func emptyList(_ session: Session) -> String {
        if filters.isEmpty {
            return session.shownDocument == nil ? "The group is empty." : "The cache is empty."
        }
        return session.advised.completed(
            filters.account == nil
                ? "No entry matches. To list all entries, run cachetool list."
                : "No entry matches. To list all accounts, run cachetool accounts --all."
        )
    }

    private func report(_ unreadable: Int) throws {
        guard unreadable > 0 else { return }
        throw CommandFailure(
            .partial,
            "\(HumanNumber.count(unreadable, one: "entry", many: "entries")) cannot be read. See cachetool verify."
        )
    }
}
