// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// Reads keys of access tokens that do not repeat the members exactly: under another host of the cloud, with a word or
/// another name for the tenant, or with the scopes in another order.
struct LooseKey {
    /// What stands in a key beside the members.
    struct Rest {
        /// Before the scopes.
        var front: String
        /// After the scopes.
        var end: String
    }

    private let account: String
    private let environment: String
    private let client: String
    private let realm: String
    private let scopes: Set<Substring>

    /// A scope is looked for at so many dashes of a word: more than GUIDs in tenant and scope have, few enough for a key that
    /// somebody fills with dashes.
    private static let mostDashes = 16

    /// - Returns: nil for a token without scopes, whose key says too little.
    init?(_ fields: CredentialFields) {
        guard let target = fields.target, !target.isEmpty else { return nil }
        account = fields.homeAccountID.map { HomeAccountID.subject(of: $0).asciiLowercased().string } ?? ""
        environment = fields.environment.string
        client = fields.clientID.string
        realm = fields.realm?.string ?? ""
        scopes = Set(target.scopes.map { Substring($0.normalized().string) })
    }

    /// What a key, folded, has beside the members. Nil for a key that is not recognized.
    func rest(of key: String) -> Rest? {
        for type in ["accesstoken", "accesstoken_with_authscheme", "atext"] {
            guard let marker = key.firstPlace(of: "-\(type)-") else { continue }
            let behindType = key[key.index(before: marker.upperBound)...]
            guard let own = behindType.firstPlace(of: "-\(client)-"),
                let front = beforeType(key[..<marker.lowerBound]),
                var rest = afterClient(behindType[own.upperBound...])
            else { return nil }
            rest.front = front + behindType[..<own.lowerBound] + rest.front
            return rest
        }
        return nil
    }

    /// What the account and the host, any of its cloud, leave; nil if there is another account.
    private func beforeType(_ text: Substring) -> String? {
        let host: Substring
        var front = ""
        if text.hasPrefix(account + "-") {
            host = text.dropFirst(account.count + 1)
        } else if account.isEmpty {
            host = text
        } else if let range = text.firstPlace(of: "-\(account)-") {
            host = text[range.upperBound...]
            front = String(text[..<range.lowerBound])
        } else {
            return nil
        }
        if host.hasPrefix(environment + "-") { return front + host.dropFirst(environment.count) }
        return host.hasSuffix("-" + environment) ? front + host.dropLast(environment.count + 1) : front
    }

    /// What the tenant and the scopes leave; nil if there is no scope of the token.
    private func afterClient(_ text: Substring) -> Rest? {
        let words = text.split { $0.isWhitespace }
        guard let first = words.first, let last = words.last else { return nil }
        let ownRealm = realmPlace(in: first)
        let start = ownRealm?.upperBound ?? first.startIndex
        func front(to scope: String.Index) -> String {
            let between = first[start..<scope]
            return ownRealm.map { first[..<$0.lowerBound] + String(between) } ?? String(between.afterTenant)
        }
        guard words.count > 1 else {
            guard let scope = scope(in: first[start...]) else { return nil }
            return Rest(front: front(to: scope.lowerBound), end: String(first[scope.upperBound...]))
        }
        let firstScope = starts(in: first[start...]).first { scopes.contains(first[$0...]) }
        let lastScope = ends(in: last).first { scopes.contains(last[..<$0]) }
        guard firstScope != nil || lastScope != nil || words[1..<(words.count - 1)].contains(where: scopes.contains)
        else {
            return nil
        }
        // Of a scope that the token does not have, the end is the next separator.
        let end = lastScope ?? last.firstIndex(where: Self.isSeparator) ?? last.endIndex
        return Rest(front: firstScope.map(front) ?? "", end: String(last[end...]))
    }

    /// The token's tenant with the dash behind it, at the beginning or after another part.
    private func realmPlace(in word: Substring) -> Range<String.Index>? {
        if word.hasPrefix(realm + "-") {
            return word.startIndex..<word.index(word.startIndex, offsetBy: realm.count + 1)
        }
        return realm.isEmpty ? nil : word.firstPlace(of: "-\(realm)-")
    }

    /// A scope of the token in a word that has other parts before and after it: the first and longest one.
    private func scope(in word: Substring) -> Range<String.Index>? {
        for start in starts(in: word) {
            for end in ends(in: word[start...]) where scopes.contains(word[start..<end]) { return start..<end }
        }
        return nil
    }

    /// Where a scope may begin: at the beginning and after each dash.
    private func starts(in word: Substring) -> [String.Index] {
        let dashes = word.indices.lazy.filter { word[$0] == "-" }.prefix(Self.mostDashes)
        return [word.startIndex] + dashes.map { word.index(after: $0) }
    }

    /// Where a scope may end: at the end and before each separator, the last one first.
    private func ends(in word: Substring) -> [String.Index] {
        let separators = word.indices.lazy.filter { Self.isSeparator(word[$0]) }.prefix(Self.mostDashes)
        return [word.endIndex] + separators.reversed()
    }

    private static func isSeparator(_ character: Character) -> Bool { character == "-" || character == "|" }
}

extension Substring {
    /// What follows a word for tenants, or a tenant's GUID, and a dash. Another name may contain dashes, so nothing does.
    fileprivate var afterTenant: Substring {
        for word in ["common-", "organizations-", "consumers-"] where hasPrefix(word) { return dropFirst(word.count) }
        let groups = split(separator: "-", maxSplits: 5, omittingEmptySubsequences: false).map(\.count)
        return groups.prefix(5) == [8, 4, 4, 4, 12] ? dropFirst(37) : ""
    }
}
