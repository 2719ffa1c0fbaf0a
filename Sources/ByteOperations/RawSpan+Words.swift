/// Words of a text, divided by ASCII white space.
extension RawSpan {
    /// Whether the text begins with these words, when A-Z are folded in it.
    @inlinable
    public func begins(withFolded words: RawSpan) -> Bool {
        let count = words.byteCount
        guard count <= byteCount, count == byteCount || ASCII.isWhitespace(byte(at: count)) else { return false }
        return extracting(0..<count).isEqual(toFolded: words)
    }

    /// Where the first word ends, of those from `start` on, that is `folded` when A-Z are folded in it.
    @inlinable
    public func endOfFirst(folded: RawSpan, from start: Int) -> Int? {
        let wanted = folded.byteCount
        var start = start
        while start &+ wanted <= byteCount {
            let end = endOfWord(from: start)
            if end &- start == wanted, wanted > 0, extracting(start..<end).isEqual(toFolded: folded) { return end }
            start = end &+ 1
        }
        return nil
    }

    /// Whether all words of this text are as `isMeant` says.
    @inlinable @inline(__always)
    public func allWords(_ isMeant: (RawSpan) -> Bool) -> Bool {
        var start = 0
        while start < byteCount {
            let end = endOfWord(from: start)
            if end > start, !isMeant(extracting(start..<end)) { return false }
            start = end &+ 1
        }
        return true
    }

    /// The first white space from `start` on, or the end.
    @inlinable
    public func endOfWord(from start: Int) -> Int {
        var offset = start
        while offset &+ 8 <= byteCount {
            let word = word(at: offset)
            // The high bit of each byte below 0x21; only the lowest one that is set can be relied on.
            let low = (word &- 0x2121_2121_2121_2121) & ~word & 0x8080_8080_8080_8080
            guard low != 0 else {
                offset &+= 8
                continue
            }
            offset &+= low.trailingZeroBitCount / 8
            if ASCII.isWhitespace(byte(at: offset)) { return offset }
            offset &+= 1
        }
        while offset < byteCount, !ASCII.isWhitespace(byte(at: offset)) { offset &+= 1 }
        return offset
    }
}
