internal import ByteOperations

/// The scopes of a request that count, as a range of the query's text: folded words, each with a space behind it. What counts
/// and what is granted is the rule of `ScopeSet`, in the form that lookups need.
///
/// Slashes are never collapsed, and `/.default` is a scope like others.
struct RequestedScopes: Sendable {
    private let range: TextRange
    /// Whether nothing but OpenID scopes is asked for.
    private let isOpenIDOnly: Bool

    /// Puts the scopes into `text`. A string with white space inside holds several.
    init(_ scopes: [String], in text: inout QueryText) {
        let start = text.count
        func append(where isWanted: (RawSpan) -> Bool) {
            for scope in scopes { text.appendWords(scope) }
            text.fold(from: start)
            text.keepWords(from: start, where: isWanted)
        }
        append { !RequestedScopes.isOpenID($0) }
        isOpenIDOnly = text.count == start
        if isOpenIDOnly {
            var isOfflineAccess = false
            append { scope in
                let isCompared = !scope.isEqual(to: "offline_access")
                if !isCompared { isOfflineAccess = true }
                return isCompared
            }
            if isOfflineAccess, text.count == start { text.appendWords("openid") }
        }
        range = text.range(from: start)
    }

    var isEmpty: Bool { range.isEmpty }

    /// Whether all of them are among the granted ones, whatever the case of those.
    func areGranted(in granted: RawSpan, _ text: borrowing QueryText) -> Bool {
        let wanted = text.span(range)
        if isOpenIDOnly { return !wanted.isEmpty && RequestedScopes.showsSignIn(granted) }
        // As a rule the first ones that were granted are asked for, in the same order.
        if granted.begins(withFolded: wanted.extracting(0..<wanted.byteCount &- 1)) { return true }
        // Else the next one stands behind the last at least.
        var next = 0
        return wanted.allWords { scope in
            guard let end = granted.endOfFirst(folded: scope, from: next) ?? granted.endOfFirst(folded: scope, from: 0)
            else { return false }
            next = end
            return true
        }
    }

    /// Those that are not among the granted ones, each once. Where nothing but the shape of the answer is asked for, all or none.
    func declined(by granted: RawSpan, _ text: borrowing QueryText) -> [String] {
        if areGranted(in: granted, text) { return [] }
        var missing: [String] = []
        _ = text.span(range).allWords { scope in
            let string = String(copying: scope)
            if granted.endOfFirst(folded: scope, from: 0) == nil, !missing.contains(string) { missing.append(string) }
            return true
        }
        return missing.isEmpty ? strings(text) : missing
    }

    /// Whether scopes are asked for, and each of them begins with the name of a resource, folded, and a slash. Slashes at the
    /// end of the name do not count.
    func belong(to resource: RawSpan, _ text: borrowing QueryText) -> Bool {
        var length = resource.byteCount
        while length > 0, resource.byte(at: length - 1) == UInt8(ascii: "/") { length -= 1 }
        guard length > 0, !isEmpty else { return false }
        let name = resource.extracting(0..<length)
        return text.span(range).allWords { scope in
            scope.byteCount > length && scope.byte(at: length) == UInt8(ascii: "/")
                && scope.extracting(0..<length).isEqual(to: name)
        }
    }

    /// Each of them once.
    func strings(_ text: borrowing QueryText) -> [String] {
        var strings: [String] = []
        _ = text.span(range).allWords { scope in
            let string = String(copying: scope)
            if !strings.contains(string) { strings.append(string) }
            return true
        }
        return strings
    }

    /// Whether a token with these scopes came of a sign-in, or is good for no resource.
    private static func showsSignIn(_ granted: RawSpan) -> Bool {
        var (isForResource, isEmpty) = (false, true)
        let showsNothing = granted.allWords { scope in
            isEmpty = false
            switch scope.byteCount {
            case 5 where scope.folds(to: "email"), 6 where scope.folds(to: "openid"),
                7 where scope.folds(to: "profile"):
                return false
            default:
                if !isOpenID(scope) { isForResource = true }
                return true
            }
        }
        return !showsNothing || !isForResource && !isEmpty
    }

    private static func isOpenID(_ scope: RawSpan) -> Bool {
        switch scope.byteCount {
        case 5: scope.folds(to: "email") || scope.folds(to: "phone")
        case 6: scope.folds(to: "openid")
        case 7: scope.folds(to: "profile") || scope.folds(to: "address")
        case 14: scope.folds(to: "offline_access")
        default: false
        }
    }
}
