// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CacheAdministration
import TokenCaching
import ToolInterface

/// `cachetool inspect`
struct InspectCommand: GroupCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show one entry: every field, and the claims of its token.",
        discussion: """
            Id tokens, and access tokens that can be read, are decoded offline. Their signatures are not checked: claims \
            are what the token says, not what is true. The token itself, and the values of fields that cachetool does \
            not know, stay hidden without --reveal.

            EXAMPLES:
              cachetool inspect 1a2b3c4d
              cachetool inspect 1a2b3c4d --json --keys
              cachetool inspect 1a2b3c4d --file msal.json
              cachetool inspect 1a2b3c4d --reveal
            """
    )

    @Argument(
        help: ArgumentHelp("The ID of cachetool list, or its beginning (4 characters or more).", valueName: "id"),
        completion: NameCompletion.entries
    )
    var id: String

    @Flag(
        help: "Also show the keys of the entry in the documents of each library, and the address of its keychain item."
    )
    var keys = false

    @OptionGroup(title: "Showing the secret") var reveal: RevealOptions
    @OptionGroup(title: "The cache of another library") var document: DocumentOptions
    @OptionGroup(title: "Group options") var group: GroupOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func perform(in session: Session) throws {
        let showsSecret = try Reveal.isWanted(reveal, session)
        let shown = try document.open(or: group, session)
        let cache = shown.cache
        defer { cache.close() }
        let inspection = try Inspection(of: try entry(in: cache), showsSecret: showsSecret, showsKeys: keys)
        if session.usesJSON {
            try inspection.write(JSONWriter(session.console.output), group: shown.groupName, now: session.console.now)
        } else {
            try inspection.write(to: session.console)
        }
        try shown.finish()
    }

    private func entry(in cache: CacheGroup) throws -> EntryDetail {
        guard id.utf8.count >= 4, id.allSatisfy(\.isHexDigit) else {
            throw CommandFailure(
                .usage,
                "\(id) is not an ID: an ID consists of the digits 0-9 and a-f, at least 4 of them. cachetool list shows IDs in its first column."
            )
        }
        do throws(TokenCacheError) {
            return try cache.entry(id)
        } catch {
            switch error.code {
            case .notFound:
                throw CommandFailure(.notFound, "No entry has an ID like \(id). cachetool list shows them.")
            case .invalidRequest:
                throw try ambiguous(cache)
            default:
                throw error
            }
        }
    }

    private func ambiguous(_ cache: CacheGroup) throws -> CommandFailure {
        var found: [String] = []
        try cache.forEachEntry(readingNewest: false) { entry throws(TokenCacheError) in
            let handle = entry.handle.description
            guard handle.hasPrefix(id.lowercased()) else { return }
            found.append("\(handle) (\(entry.kind.name) of \(EntryRow.account(entry)))")
        }
        let shown = found.prefix(6).joined(separator: ", ") + (found.count > 6 ? ", …" : "")
        return CommandFailure(
            .usage,
            "\(found.count) entries have an ID like \(id): \(shown). Type more of it."
        )
    }
}
