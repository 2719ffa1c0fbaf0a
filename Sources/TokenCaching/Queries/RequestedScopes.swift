/// How the scopes of a request count.
///
/// Compared without regard to case. The reserved ones say how the answer looks, not what it is good for: they count only
/// where nothing else is asked for. Slashes are never collapsed, and `/.default` is a scope like others.
enum RequestedScopes {
    static func isReserved(folded scope: RawSpan) -> Bool {
        switch scope.byteCount {
        case 6: scope.isEqual(to: "openid")
        case 7: scope.isEqual(to: "profile")
        case 14: scope.isEqual(to: "offline_access")
        default: false
        }
    }

    /// Puts the scopes that count into `text`. A string with white space inside holds several.
    static func append(_ scopes: [String], to text: inout PackedText) -> [TextRange] {
        var ranges: [TextRange] = []
        ranges.reserveCapacity(scopes.count)
        var reservedCount = 0
        for scope in scopes {
            let whole = text.appendFolded(scope)
            text.forEachWord(in: whole) { text, word in
                for known in ranges where known.count == word.count {
                    if text.span(known).isEqual(to: text.span(word)) { return }
                }
                if isReserved(folded: text.span(word)) { reservedCount += 1 }
                ranges.append(word)
            }
        }
        if reservedCount > 0, reservedCount < ranges.count {
            ranges.removeAll { isReserved(folded: text.span($0)) }
        }
        return ranges
    }
}

extension PackedText {
    /// The words of one text, divided by ASCII white space.
    func forEachWord(in range: TextRange, _ body: (borrowing PackedText, TextRange) -> Void) {
        var start = 0
        while start < range.count {
            let end = span(range).endOfWord(from: start)
            if end > start { body(self, TextRange(start: range.start + UInt32(start), count: UInt32(end - start))) }
            start = end + 1
        }
    }
}
