// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import CacheAdministration
import TokenCaching

/// Offers names to a shell while the user types them.
///
/// The shell runs the program for this at every key press, so it prints nothing, prompts no one, changes nothing, and
/// gives up rather than take long. It offers nothing for a group that is locked, damaged or large.
public enum NameCompletion {
    /// Names of groups.
    public static let groups = CompletionKind.custom { words, _, typed in
        let line = TypedLine(words: words, home: Syscalls.environment("HOME"))
        let groups = (try? CacheGroup.list(root: line.root)) ?? []
        return groups.filter { $0.state != .empty && $0.name.hasPrefix(typed) }.map(\.name)
    }

    /// Usernames, or home account ids if no username begins with the typed text.
    public static let accounts = CompletionKind.custom { words, _, typed in accounts(words, typed) }

    /// Names of profiles.
    public static let profiles = CompletionKind.custom { _, _, typed in profiles(typed) }

    /// Names of profiles, or names of accounts if no profile begins with the typed text.
    public static let profilesAndAccounts = CompletionKind.custom { words, _, typed in
        let profiles = profiles(typed)
        return profiles.isEmpty ? accounts(words, typed) : profiles
    }

    /// Ids of applications.
    public static let clients = CompletionKind.custom { words, _, typed in names(words, typed, \.clientID) }

    /// Ids of tenants.
    public static let tenants = CompletionKind.custom { words, _, typed in names(words, typed, \.tenant) }

    /// Handles of entries.
    public static let entries = CompletionKind.custom { words, _, typed in
        names(words, typed) { typed.count > $0.handle.short.count ? $0.handle.description : $0.handle.short }
    }

    private static func profiles(_ typed: String) -> [String] {
        ((try? ProfileFile.read())?.profiles ?? []).map(\.name).filter { $0.hasPrefix(typed) }
    }

    private static func accounts(_ words: [String], _ typed: String) -> [String] {
        let usernames = names(words, typed) { $0.username ?? $0.accountID?.text }
        return usernames.isEmpty ? names(words, typed, \.accountID?.text) : usernames
    }

    /// The names in entries of the group that begin with the typed text; none if not all entries can be read in time,
    /// because in a partial list a wrong name could look like the only one.
    private static func names(_ words: [String], _ typed: String, _ name: (EntrySummary) -> String?) -> [String] {
        guard let group = TypedLine(words: words, home: Syscalls.environment("HOME")).openGroup() else { return [] }
        defer { group.close() }
        let end = ContinuousClock().now + longest
        var found: Set<String> = []
        do {
            try group.forEachEntry(readingNewest: false) { entry throws(TokenCacheError) in
                if ContinuousClock().now > end { throw TokenCacheError(.cancelled) }
                guard let name = name(entry), name.lowercased().hasPrefix(typed.lowercased()) else { return }
                // The shell would read a name with a line break as two names.
                if VisibleText.escaped(name) == name { found.insert(name) }
            }
        } catch { return [] }
        // zsh takes a colon for the beginning of a description.
        guard CompletionShell.requesting == .zsh else { return found.sorted() }
        return found.map { $0.replacing("\\", with: "\\\\").replacing(":", with: "\\:") }.sorted()
    }

    /// The longest time to read a group.
    private static let longest = Duration.milliseconds(500)
}
