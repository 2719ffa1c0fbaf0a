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
        let line = TypedLine(words, home: Syscalls.environment("HOME"))
        let groups = (try? CacheGroup.list(root: line.root)) ?? []
        return groups.filter { $0.state != .empty && $0.name.hasPrefix(typed) }.map(\.name)
    }

    /// Usernames, or home account ids if no username begins with the typed text.
    public static let accounts = CompletionKind.custom { words, _, typed in
        candidates(words) { entry in
            guard let name = entry.username ?? entry.accountID?.text else { return [] }
            return [name, entry.accountID?.text ?? name]
        } chosen: { pairs in
            let names = Set(pairs.map { $0[0] }.filter { begins($0, typed) })
            return Set((names.isEmpty ? Set(pairs.map { $0[1] }.filter { begins($0, typed) }) : names).map(described))
        }
    }

    /// Ids of applications.
    public static let clients = ids(\.clientID)

    /// Ids of tenants.
    public static let tenants = ids(\.tenant)

    /// Handles of entries, with a description if the shell shows one.
    public static let entries = CompletionKind.custom { words, _, typed in
        candidates(words) { entry in
            guard begins(entry.handle.description, typed) else { return [] }
            let shown = typed.count > entry.handle.short.count ? entry.handle.description : entry.handle.short
            return [shown, VisibleText.escaped("\(entry.kind.name) \(entry.username ?? "")")]
        } chosen: {
            Set($0.map { described($0[0], $0[1]) })
        }
    }

    private static func ids(_ id: @escaping @Sendable (EntrySummary) -> String?) -> CompletionKind {
        .custom { words, _, typed in
            candidates(words) { entry in
                guard let name = id(entry), begins(name, typed) else { return [] }
                return [name]
            } chosen: {
                Set($0.map { described($0[0]) })
            }
        }
    }

    /// The names that entries of the group offer; none if not all entries can be read in time, because in a partial
    /// list a wrong name could look like the only one.
    private static func candidates(
        _ words: [String],
        of offered: (EntrySummary) -> [String],
        chosen: (Set<[String]>) -> Set<String>
    ) -> [String] {
        guard let group = TypedLine(words, home: Syscalls.environment("HOME")).openGroup() else { return [] }
        defer { group.close() }
        let end = ContinuousClock().now + longest
        var found: Set<[String]> = []
        do {
            try group.forEachEntry(readingNewest: false) { entry throws(TokenCacheError) in
                if ContinuousClock().now > end { throw TokenCacheError(.cancelled) }
                let names = offered(entry)
                // The shell would read a name with a line break as two names.
                guard !names.isEmpty, names.allSatisfy({ VisibleText.escaped($0) == $0 }) else { return }
                found.insert(names)
            }
        } catch { return [] }
        return chosen(found).sorted()
    }

    /// The longest time to read a group.
    private static let longest = Duration.milliseconds(500)

    private static func begins(_ name: String, _ typed: String) -> Bool {
        name.lowercased().hasPrefix(typed.lowercased())
    }

    /// The name in the shell's syntax, with a description if the shell shows one.
    private static func described(_ name: String, _ description: String) -> String {
        switch CompletionShell.requesting {
        case .zsh?: described(name) + ":" + description
        case .fish?: name + "\t" + description
        default: name
        }
    }

    private static func described(_ name: String) -> String {
        guard CompletionShell.requesting == .zsh else { return name }
        return name.replacing("\\", with: "\\\\").replacing(":", with: "\\:")
    }
}
