// SPDX-License-Identifier: Apache-2.0

/// Pairs what an export holds with what the model expects.
///
/// Imported entries that nobody touched must be exactly as they were. Of entries that the cache made, only what the rules
/// speak of is compared: which library's format they have is tested elsewhere.
struct ExportComparison {
    /// The place of each entry in the model, with the entry of the export.
    private(set) var pairs: [(Int, ModelEntry)] = []
    private(set) var difference: String?

    init(actual: [ModelEntry], expected: [ModelEntry]) {
        var left = actual
        var missing: [ModelEntry] = []
        // Those that must be exactly so first: what the cache made is told by less.
        let order = expected.indices.sorted { !expected[$0].isMade && expected[$1].isMade }
        for (index, entry) in order.map({ ($0, expected[$0]) }) {
            guard let location = left.firstIndex(where: { Self.isSame($0, entry) }) else {
                // Notes of a client's family that say the same may get one key, and then are one entry.
                let isOneOfTheSame =
                    entry.isAppMetadata && entry.isMade
                    && pairs.contains { Self.isSame($0.1, entry) }
                if !isOneOfTheSame { missing.append(entry) }
                continue
            }
            pairs.append((index, left.remove(at: location)))
        }
        if !left.isEmpty || !missing.isEmpty {
            difference =
                "the export has beside what is expected:" + left.map { "\n    + \($0)" }.joined()
                + missing.map { "\n    - \($0)" }.joined()
        }
    }

    private static func isSame(_ actual: ModelEntry, _ expected: ModelEntry) -> Bool {
        guard expected.isMade else {
            return actual.section == expected.section && actual.key == expected.key
                && actual.members == expected.members
        }
        return view(actual) == view(expected)
            && (actual.isAccount ? expected.members["x-unknown"] == actual.members["x-unknown"] : true)
    }

    /// What counts of an entry that the cache made.
    private static func view(_ entry: ModelEntry) -> [String] {
        var parts = [entry.isAccessToken ? "AccessToken" : entry.section, entry.account, entry.client]
        parts += [folded(entry.text("environment") ?? ""), entry.realm]
        if entry.isAccessToken || entry.isRefreshToken { parts.append(entry.secret) }
        if entry.isAccessToken {
            parts += entry.scopes.sorted() + [entry.scheme ?? "bearer", entry.keyID ?? ""] + entry.isolation
            // Some libraries' form has an end of the extended life always.
            let extended = entry.seconds("extended_expires_on") ?? entry.seconds("expires_on")
            parts.append(extended.map(String.init) ?? "no end")
            parts += ["cached_at", "expires_on", "refresh_on"].map { name in
                entry.seconds(name).map { "\(name) \($0)" } ?? "no \(name)"
            }
        }
        if entry.isRefreshToken || entry.isAppMetadata { parts.append(entry.family ?? "no family") }
        if entry.isAccount { parts += [entry.username, folded(entry.text("local_account_id") ?? "")] }
        return parts
    }
}

extension ModelEntry {
    /// Takes over members that the model does not speak of.
    mutating func merge(_ found: ModelEntry) {
        members.merge(found.members) { old, _ in old }
    }
}

extension ModelEntry: CustomStringConvertible {
    var description: String {
        let members = members.sorted { $0.key < $1.key }.map { name, value in
            switch value {
            case .text(let text): "\(name)=\(text)"
            case .number(let number): "\(name)=#\(number)"
            case .null: "\(name)=null"
            case .object(let members): "\(name)=\(members)"
            case .other(let text): "\(name)=?\(text)"
            }
        }
        return "\(section)[\(key)]\(isMade ? " made" : "") {\(members.joined(separator: ", "))}"
    }
}
