// SPDX-License-Identifier: Apache-2.0

import CacheAdministration
import Glibc
import TokenCaching

/// A third-party tool: counts the entries of each account of a group, and verifies the group. It uses only public declarations.
///
///     inventory GROUP [ROOT]
@main
enum Inventory {
    static func main() {
        // The keys of the group come into memory: a crash must not leave them behind.
        ProcessHardening.apply()
        let arguments = CommandLine.arguments.dropFirst()
        guard let name = arguments.first, arguments.count <= 2 else {
            print("usage: inventory GROUP [ROOT]")
            exit(2)
        }
        do throws(TokenCacheError) {
            exit(try look(into: name, root: arguments.dropFirst().first) ? 0 : 1)
        } catch {
            print(error)
            exit(1)
        }
    }

    /// Returns whether the whole group verifies.
    private static func look(into name: String, root: String?) throws(TokenCacheError) -> Bool {
        let group = try CacheGroup.open(name, root: root, access: .readOnly)
        defer { group.close() }
        try count(group)
        return try verify(group)
    }

    /// Prints the number of entries of each account, without opening a token.
    private static func count(_ group: CacheGroup) throws(TokenCacheError) {
        var counts: [AccountHandle?: Int] = [:]
        var names: [AccountHandle: String] = [:]
        let unreadable = try group.forEachEntry { (entry) throws(TokenCacheError) in
            counts[entry.accountHandle, default: 0] += 1
            if let account = entry.accountHandle, let username = entry.username { names[account] = username }
        }
        let lines = counts.map { account, count in
            "\(account.map { names[$0] ?? $0.short } ?? "of no account"): \(count)"
        }
        for line in lines.sorted() { print(line) }
        if unreadable > 0 { print("not readable: \(unreadable)") }
    }

    /// Opens every record, and prints the problems.
    private static func verify(_ group: CacheGroup) throws(TokenCacheError) -> Bool {
        let summary = try group.verify()
        for finding in summary.findings { print(finding.description) }
        print(
            summary.isSound
                ? "sound: \(summary.recordCount) records" : "damaged: cachetool repair saves what can be saved"
        )
        return summary.isSound
    }
}
