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

            EXAMPLES:
              cachetool list
              cachetool list --account adele@contoso.example --kind access-token
              cachetool list --expired --json
            """
    )

    @OptionGroup(title: "Filters") var filters: EntryFilterOptions
    @OptionGroup(title: "Group options") var group: GroupOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func perform(in session: Session) throws {
        let cache = try session.open(.readOnly)
        defer { cache.close() }
        let filter = filters.filter(now: session.console.now)
        if session.usesJSON { return try writeJSON(cache, filter: filter, session: session) }
        var entries: [EntrySummary] = []
        let unreadable = try cache.forEachEntry(matching: filter, refreshing: false) { entry throws(TokenCacheError) in
            entries.append(entry)
        }
        var table = Table(EntryRow.columns)
        for entry in EntryRow.sorted(entries) { table.add(EntryRow.cells(entry, now: session.console.now)) }
        if table.isEmpty {
            session.console.remark(filters.isEmpty ? "The group is empty." : "No entry matches.")
        } else {
            table.write(to: session.console)
        }
        try report(unreadable)
    }

    private func report(_ unreadable: Int) throws {
        guard unreadable > 0 else { return }
        throw CommandFailure(
            .partial,
            "\(HumanNumber.count(unreadable, one: "entry", many: "entries")) cannot be read. cachetool verify tells more."
        )
    }

    /// Writes one entry at a time, so memory use does not depend on the size of the document.
    private func writeJSON(_ cache: CacheGroup, filter: EntryFilter, session: Session) throws {
        let json = JSONWriter(session.console.output)
        let unreadable = try json.document {
            json.member("group", session.groupName)
            let unreadable = try json.array("entries") {
                try cache.forEachEntry(matching: filter, refreshing: false) { entry throws(TokenCacheError) in
                    json.objectElement { EntryRow.write(entry, now: session.console.now, json) }
                }
            }
            json.member("unreadable", unreadable)
            return unreadable
        }
        try report(unreadable)
    }
}
