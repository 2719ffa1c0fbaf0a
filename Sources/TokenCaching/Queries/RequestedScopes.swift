/// How the scopes of a request count.
///
/// Compared without regard to case. The reserved ones say how the answer looks, not what it is good for: they count only
/// where nothing else is asked for. Slashes are never collapsed, and `/.default` is a scope like others.
enum RequestedScopes {
    private static let reserved: [StaticString] = ["openid", "profile", "offline_access"]

    static func isReserved(folded scope: RawSpan) -> Bool {
        reserved.contains { scope.isEqual(to: $0) }
    }

    /// Puts the scopes that count into `text`. A string with white space inside holds several.
    static func append(_ scopes: [String], to text: inout PackedText) -> [TextRange] {
        var ranges: [TextRange] = []
        ranges.reserveCapacity(scopes.count)
        for scope in scopes {
            let whole = text.appendFolded(scope)
            text.forEachWord(in: whole) { text, word in
                if !ranges.contains(where: { text.span($0).isEqual(to: text.span(word)) }) { ranges.append(word) }
            }
        }
        let ordinary = ranges.filter { !isReserved(folded: text.span($0)) }
        return ordinary.isEmpty ? ranges : ordinary
    }
}

extension PackedText {
    /// The words of one text, divided by ASCII white space.
    func forEachWord(in range: TextRange, _ body: (borrowing PackedText, TextRange) -> Void) {
        var start = Int(range.start)
        let end = start + Int(range.count)
        while start < end {
            var next = start
            while next < end, !ASCIIText.isSpace(bytes[next]) { next += 1 }
            if next > start { body(self, TextRange(start: UInt32(start), count: UInt32(next - start))) }
            start = next + 1
        }
    }
}
