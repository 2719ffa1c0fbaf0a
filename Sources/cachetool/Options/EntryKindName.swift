// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import TokenCaching

/// A kind of entry, as typed: "access-token", "access token" and "AccessToken" are the same.
struct EntryKindName: ExpressibleByArgument {
    let kinds: Set<CachedEntryKind>

    init?(argument: String) {
        let wanted = Self.normalized(argument)
        kinds = Set(CachedEntryKind.allCases.filter { Self.normalized($0.name) == wanted })
        if kinds.isEmpty { return nil }
    }

    /// The accepted names, in the order of the list.
    static let allValueStrings = CachedEntryKind.allCases.map { words($0, separator: "-") }

    /// A kind's name to display: "access token".
    static func people(_ kind: CachedEntryKind) -> String {
        displayNames[kind] ?? words(kind, separator: " ")
    }

    /// A list shows one for each entry.
    private static let displayNames = Dictionary(
        uniqueKeysWithValues: CachedEntryKind.allCases.map { ($0, words($0, separator: " ")) }
    )

    private static func normalized(_ name: String) -> String {
        name.lowercased().filter { !"-_ ".contains($0) }
    }

    /// "AccessToken" as separate words: "access-token".
    private static func words(_ kind: CachedEntryKind, separator: Unicode.Scalar) -> String {
        var result: [UInt8] = []
        var wasLower = false
        for byte in kind.name.utf8 where byte != UInt8(ascii: "_") {
            let isUpper = (0x41...0x5A).contains(byte)
            if isUpper && wasLower { result.append(UInt8(ascii: separator)) }
            wasLower = (0x61...0x7A).contains(byte)
            result.append(isUpper ? byte | 0x20 : byte)
        }
        return String(decoding: result, as: UTF8.self)
    }
}
