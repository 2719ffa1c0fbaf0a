/// The scopes of a request that count, as a range of the query's text: folded words, each with a space behind it.
///
/// Compared without regard to case. The reserved ones say how the answer looks, not what it is good for: they count only
/// where nothing else is asked for. Slashes are never collapsed, and `/.default` is a scope like others.
struct RequestedScopes: Sendable {
    private let range: TextRange

    /// Puts the scopes into `text`. A string with white space inside holds several.
    init(_ scopes: [String], in text: inout QueryText) {
        let start = text.count
        for scope in scopes { text.appendWords(of: scope) { !RequestedScopes.isReserved(folded: $0) } }
        if text.count == start {
            for scope in scopes { text.appendWords(of: scope) { _ in true } }
        }
        range = text.range(from: start)
    }

    var isEmpty: Bool { range.isEmpty }

    /// Whether all of them are among the granted ones, whatever the case of those.
    func areGranted(in granted: RawSpan, _ text: borrowing QueryText) -> Bool {
        // As a rule they are asked for in the order in which they were granted: the next one stands behind the last.
        var next = 0
        return text.span(range).allWords { scope in
            guard let end = granted.endOfFirst(folded: scope, from: next) ?? granted.endOfFirst(folded: scope, from: 0)
            else { return false }
            next = end
            return true
        }
    }

    /// Whether scopes are asked for that are not reserved, and each of them begins with the name of a resource, folded, and
    /// a slash. Slashes at the end of the name do not count.
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

    private static func isReserved(folded scope: RawSpan) -> Bool {
        switch scope.byteCount {
        case 6: scope.isEqual(to: "openid")
        case 7: scope.isEqual(to: "profile")
        case 14: scope.isEqual(to: "offline_access")
        default: false
        }
    }
}
