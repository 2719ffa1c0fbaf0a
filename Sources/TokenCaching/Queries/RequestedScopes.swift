// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import UnifiedSchema

/// The relevant scopes of a request, as a range of the query's text: folded words, each followed by a space. They are
/// compared by `ScopeRule`.
struct RequestedScopes: Sendable {
    let range: TextRange
    /// Whether only OpenID scopes are requested.
    private let isOpenIDOnly: Bool

    /// Appends the scopes to `text`, which folds them afterwards. A string that contains white space counts as several
    /// scopes.
    init(_ scopes: [String], in text: inout QueryText) {
        let start = text.count
        func append(where isWanted: (RawSpan) -> Bool) {
            for scope in scopes { text.appendWords(scope) }
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
            if isOfflineAccess, text.count == start { text.appendWords(ScopeRule.placeholder.string) }
        }
        range = text.range(from: start)
    }

    var isEmpty: Bool { range.isEmpty }

    /// Whether all of them were granted, in any case.
    func areGranted(in granted: RawSpan, _ text: borrowing QueryText) -> Bool {
        if isOpenIDOnly { return !isEmpty && ScopeRule.servesSignIn(granted) }
        return ScopeRule.areGranted(text.span(range), in: granted)
    }

    /// Those that were not granted, without duplicates. For a request with only OpenID scopes, all or none.
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

    /// Whether scopes are requested, and all belong to the resource with this folded name.
    func belong(to resource: RawSpan, _ text: borrowing QueryText) -> Bool {
        ScopeRule.belong(text.span(range), to: resource)
    }

    /// The scopes without duplicates.
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
