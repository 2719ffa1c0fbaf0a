// SPDX-License-Identifier: Apache-2.0

/// Reads keys of access tokens that do not repeat the members exactly: under another host of the cloud, with a word or
/// another name for the tenant, or with the scopes in another order.
struct LooseKey {
    private let account: String
    private let client: String
    private let realm: String
    /// The longest first, because one may be the beginning of another.
    private let scopes: [String]

    /// - Returns: nil for a token without scopes, whose key says too little.
    init?(_ fields: CredentialFields) {
        guard let target = fields.target, !target.isEmpty else { return nil }
        account = fields.homeAccountID?.string ?? ""
        client = fields.clientID.string
        realm = fields.realm?.string ?? ""
        scopes = target.scopes.map { $0.normalized().string }.sorted { $0.utf8.count > $1.utf8.count }
    }

    /// What a key, folded, has before the account, beside the tenant and after the scopes. Nil for a key that is not
    /// recognized, and without such a rest.
    func rest(of key: String) -> String? {
        for type in ["accesstoken", "accesstoken_with_authscheme", "atext"] {
            guard let marker = key.firstRange(of: "-\(type)-\(client)-") else { continue }
            guard let front = beforeAccount(key[..<marker.lowerBound]),
                let (beside, scopes) = besideTenant(key[marker.upperBound...])
            else { return nil }
            let rest = front + beside + afterScopes(scopes)
            return rest.allSatisfy { $0 == "-" } ? nil : String(rest)
        }
        return nil
    }

    /// What stands before the account and the host; nil if another account does.
    private func beforeAccount(_ text: Substring) -> Substring? {
        if text.hasPrefix(account + "-") { return "" }
        guard let range = text.firstRange(of: "-\(account)-") else { return nil }
        return text[..<range.lowerBound]
    }

    /// What stands between tenant and scopes, and the text from the scopes on.
    private func besideTenant(_ text: Substring) -> (beside: Substring, scopes: Substring)? {
        let isOfRealm = text.hasPrefix(realm + "-")
        let start = isOfRealm ? text.index(text.startIndex, offsetBy: realm.count + 1) : text.startIndex
        guard let scopes = firstScope(in: text[start...]) else { return nil }
        let between = text[start..<scopes]
        return (isOfRealm ? between : between.afterTenant, text[scopes...])
    }

    private func firstScope(in text: Substring) -> String.Index? {
        var index = text.startIndex
        while index < text.endIndex {
            if endOfScope(text[index...]) != nil { return index }
            guard let dash = text[index...].firstIndex(of: "-") else { return nil }
            index = text.index(after: dash)
        }
        return nil
    }

    private func afterScopes(_ text: Substring) -> Substring {
        var left = text
        while true {
            let end = endOfScope(left) ?? endOfOtherScope(left)
            left = left[end...]
            guard left.first == " " else { return left }
            left = left.drop { $0 == " " }
        }
    }

    private func endOfScope(_ text: Substring) -> String.Index? {
        for scope in scopes where text.hasPrefix(scope) {
            let end = text.index(text.startIndex, offsetBy: scope.count)
            if end == text.endIndex || " -|".contains(text[end]) { return end }
        }
        return nil
    }

    /// The end of a scope that the token does not have: a space, or for the last one the next separator.
    private func endOfOtherScope(_ text: Substring) -> String.Index {
        text.firstIndex(of: " ") ?? text.firstIndex { $0 == "-" || $0 == "|" } ?? text.endIndex
    }
}

extension Substring {
    /// What follows a word for tenants, or a tenant's GUID, and a dash. Another name may contain dashes, so nothing does.
    fileprivate var afterTenant: Substring {
        for word in ["common-", "organizations-", "consumers-"] where hasPrefix(word) { return dropFirst(word.count) }
        let groups = split(separator: "-", maxSplits: 5, omittingEmptySubsequences: false).map(\.count)
        return groups.prefix(5) == [8, 4, 4, 4, 12] ? dropFirst(37) : ""
    }
}
