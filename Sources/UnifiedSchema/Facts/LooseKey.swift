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
    /// All of its cloud.
    private let hosts: [String]
    private let client: String
    private let realm: String
    private let scopes: Set<Substring>

    /// A scope is looked for at so many dashes of a word: more than GUIDs in tenant and scope have, few enough for a key that
    /// somebody fills with dashes.
    private static let mostDashes = 16

    /// - Returns: nil for a token without scopes, whose key says too little.
    init?(_ fields: CredentialFields) {
        guard let target = fields.target, !target.isEmpty else { return nil }
        account = Self.dashed(fields.homeAccountID.map { HomeAccountID.subject(of: $0).asciiLowercased() })
        let environment = fields.environment
        hosts = (CloudTable.builtIn.cloud(of: environment)?.hosts ?? [environment]).map { Self.dashed($0) }
        client = Self.dashed(fields.clientID)
        realm = Self.dashed(fields.realm)
        scopes = Set(target.scopes.map { Substring(Self.dashed($0.normalized())) })
    }

    /// A text in which dashes are the only separators.
    private static func dashed(_ text: UTF8Text?) -> String {
        String((text?.string ?? "").map { $0 == "|" ? "-" : $0 })
    }

    /// What a key, folded, has beside the members. Nil for a key that is not recognized.
    func rest(of key: UTF8Text) -> Rest? {
        let key = Self.dashed(key)
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
        // A type that nobody knows yet is a part itself.
        guard let own = key.firstPlace(of: "-\(client)-"), let front = beforeType(key[..<own.lowerBound]),
            var rest = afterClient(key[own.upperBound...])
        else { return nil }
        rest.front = front + rest.front
        return rest
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
        let parts = "-\(host)-"
        for name in hosts {
            guard let range = parts.firstPlace(of: "-\(name)-") else { continue }
            return front + parts[..<range.lowerBound] + parts[range.upperBound...].dropLast()
        }
        return front
    }

    /// What the tenant and the scopes leave; nil if there is no scope of the token.
    private func afterClient(_ text: Substring) -> Rest? {
        let words = text.split { $0.isWhitespace }
        guard let first = words.first else { return nil }
        let ownRealm = realmPlace(in: first)
        let start = ownRealm?.upperBound ?? first.startIndex
        func front(to scope: String.Index) -> String {
            let between = first[start..<scope]
            return ownRealm.map { first[..<$0.lowerBound] + String(between) } ?? String(between.afterTenant)
        }
        var rest = Rest(front: "", end: "")
        var hasScope = false
        for (index, word) in words.enumerated() {
            let isLast = index == words.count - 1
            guard let scope = scope(in: index == 0 ? first[start...] : word) else {
                // Of a scope that the token does not have, the end is the next dash.
                if isLast { rest.end = String(word.drop { $0 != "-" }) }
                continue
            }
            hasScope = true
            rest.front += index == 0 ? front(to: scope.lowerBound) : String(word[..<scope.lowerBound])
            let behind = String(word[scope.upperBound...])
            if isLast { rest.end = behind } else { rest.front += behind }
        }
        return hasScope ? rest : nil
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

    /// Where a scope may end: at the end and before each dash, the last one first.
    private func ends(in word: Substring) -> [String.Index] {
        [word.endIndex] + word.indices.lazy.filter { word[$0] == "-" }.prefix(Self.mostDashes).reversed()
    }
}

extension Substring {
    /// What follows a word for tenants, a tenant's GUID or its domain, and a dash. A domain may contain dashes, and ends
    /// where what is between them has no more dots. Another name may contain dashes, too, so nothing follows it.
    fileprivate var afterTenant: Substring {
        for word in ["common-", "organizations-", "consumers-"] where hasPrefix(word) { return dropFirst(word.count) }
        let groups = split(separator: "-", omittingEmptySubsequences: false)
        if groups.prefix(5).map(\.count) == [8, 4, 4, 4, 12] { return dropFirst(37) }
        let labels = groups.drop { !$0.contains(".") }.prefix { $0.contains(".") }
        return labels.last.map { self[$0.endIndex...].dropFirst() } ?? ""
    }
}
