// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import TokenCaching

/// A kind of entry, as typed: "AccessToken", "access-token" and "access token" are the same.
struct EntryKindName: ExpressibleByArgument {
    let kinds: Set<CachedEntryKind>

    init?(argument: String) {
        let wanted = Self.normalized(argument)
        kinds = Set(CachedEntryKind.allCases.filter { Self.normalized($0.name) == wanted })
        if kinds.isEmpty { return nil }
    }

    /// The names that lists show, in their order.
    static let allValueStrings = CachedEntryKind.allCases.map(\.name)

    private static func normalized(_ name: String) -> String {
        name.lowercased().filter { !"-_ ".contains($0) }
    }
}
