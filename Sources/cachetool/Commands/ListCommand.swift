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

            A group of more than 4,000 entries is listed account by account, not sorted by name.
            """
    )

    @OptionGroup(title: "Filters") var filters: EntryFilterOptions
    @OptionGroup(title: "The cache of another library") var document: DocumentOptions
    @OptionGroup(title: "Group options") var group: GroupOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    private static let sortedCount = 4_000

    func perform(in session: Session) throws {
        let shown = try document.open(or: group, session)
        let cache = shown.cache
        defer { cache.close() }
        let filter = try filters.filter(TypedNames(cache, session.console), session.console.now)
        let progress = ProgressLine("Listing", on: session.console)
        defer { progress.finish() }
        let unreadable =
            session.usesJSON
            ? try writeJSON(of: shown, matching: filter, in: session, progress: progress)
            : try writeTable(of: cache, matching: filter, in: session, progress: progress)
        progress.finish()
        try report(unreadable)
        try shown.finish()
    }

    private func writeTable(
        of cache: CacheGroup,
        matching filter: EntryFilter,
        in session: Session,
        progress: ProgressLine
    ) throws -> Int {
        let now = session.console.now
        var table = TableStream(EntryRow.columns, on: session.console)
        var list = SortedIfFew<EntrySummary>(limit: Self.sortedCount)
        var isPrinting = false
        let unreadable = try cache.forEachEntry(
            matching: filter,
            readingNewest: false,
            progress: { note in
                progress.updateBesideOutput(entries: note.entryCount, isPrinting: isPrinting)
                return .proceed
            }
        ) { entry throws(TokenCacheError) in
            list.take(entry) { entry in
                if !isPrinting {
                    isPrinting = true
                    progress.finish()
                }
                table.add(EntryRow.cells(entry, now: now))
            }
        }
        progress.finish()
        for entry in list.rest(sorted: EntryRow.sorted) { table.add(EntryRow.cells(entry, now: now)) }
        table.finish()
        if table.isEmpty { session.console.remark(emptyList(session)) }
        return unreadable
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

    /// Writes one entry at a time, so memory use does not depend on the size of the document.
    private func writeJSON(
        of shown: ShownCache,
        matching filter: EntryFilter,
        in session: Session,
        progress: ProgressLine
    ) throws -> Int {
        let json = JSONWriter(session.console.output)
        var isPrinting = false
        return try json.document {
            json.member("group", shown.groupName)
            let unreadable = try json.array("entries") {
                try shown.cache.forEachEntry(
                    matching: filter,
                    readingNewest: false,
                    progress: { note in
                        progress.updateBesideOutput(entries: note.entryCount, isPrinting: isPrinting)
                        return .proceed
                    }
                ) { entry throws(TokenCacheError) in
                    if !isPrinting {
                        isPrinting = true
                        progress.finish()
                    }
                    json.objectElement { EntryRow.write(entry, now: session.console.now, json) }
                }
            }
            json.member("unreadable", unreadable)
            return unreadable
        }
    }
}
