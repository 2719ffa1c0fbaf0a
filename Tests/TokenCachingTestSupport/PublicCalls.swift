// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The public calls that can fail on what an application keeps of a group, as the sources declare them.
enum PublicCalls {
    static let types = [
        "TokenCache", "AccessToken", "RefreshToken", "IDToken", "SavedTokens", "CacheGroup", "EntryDetail",
        "GroupWatch",
    ]

    /// Such as `TokenCache.token`. Not those that open something, nor those that Swift tasks wait in: a forked child of a
    /// program with threads has no tasks.
    static var all: Set<String> {
        get throws {
            try ["TokenCaching", "CacheAdministration"].reduce(into: []) { $0.formUnion(try calls(inModule: $1)) }
        }
    }

    private static func calls(inModule module: String) throws -> Set<String> {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Sources/\(module)").standardized
        var found: Set<String> = []
        for case let file as URL in FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
            ?? .init()
        where file.pathExtension == "swift" {
            found.formUnion(try calls(in: String(contentsOf: file, encoding: .utf8)))
        }
        return found
    }

    private static func calls(in source: String) throws -> Set<String> {
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
        var found: Set<String> = []
        var type: Substring?
        for (index, line) in lines.enumerated() {
            if let match = line.firstMatch(of: /^(?:public |final )*(?:extension|class|struct|enum|actor) (\w+)/) {
                type = match.1
            }
            guard let type, types.contains(String(type)),
                let match = line.firstMatch(of: /^    (?:nonisolated\(nonsending\) )?public (?:func|var) (\w+)/)
            else { continue }
            // Up to where its body begins, and of a property its getter too.
            let rest = lines[index...]
            let end = rest.firstIndex { $0.contains("{") } ?? index
            let declaration = rest[...min(end + (line.contains(" var ") ? 1 : 0), rest.endIndex - 1)].joined(
                separator: " "
            )
            let head = declaration.replacing(/\([^()]*\([^()]*\)[^()]*\) (?:async )?throws\(?\w*\)? -> \w+/, with: "")
            guard head.contains("throws"), !head.contains("async throws") else { continue }
            found.insert("\(type).\(match.1)")
        }
        return found
    }
}
