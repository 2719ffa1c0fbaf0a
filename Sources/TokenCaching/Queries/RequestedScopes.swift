internal import ByteOperations
internal import UnifiedSchema

/// The scopes of a request that count, as a range of the query's text: folded words, each with a space behind it. What
/// they are compared by is `ScopeRule`.
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
        append { OpenIDScope($0) == nil }
        isOpenIDOnly = text.count == start
        if isOpenIDOnly {
            var isOfflineAccess = false
            append { scope in
                let isCompared = OpenIDScope(scope) != .offlineAccess
                if !isCompared { isOfflineAccess = true }
                return isCompared
            }
            if isOfflineAccess, text.count == start { text.appendWords(ScopeRule.standIn.string) }
        }
        range = text.range(from: start)
    }

    var isEmpty: Bool { range.isEmpty }

    /// Whether all of them are among the granted ones, whatever the case of those.
    func areGranted(in granted: RawSpan, _ text: borrowing QueryText) -> Bool {
        if isOpenIDOnly { return !isEmpty && ScopeRule.servesSignIn(granted) }
        return ScopeRule.areGranted(text.span(range), in: granted)
    }

    /// Those that are not among the granted ones, each once. Where nothing but the shape of the answer is asked for,
    /// all or none.
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

    /// Whether scopes are asked for, and all of them are those of a resource, whose name is folded.
    func belong(to resource: RawSpan, _ text: borrowing QueryText) -> Bool {
        ScopeRule.belong(text.span(range), to: resource)
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
}
