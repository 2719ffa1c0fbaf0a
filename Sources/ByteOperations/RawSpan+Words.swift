// SPDX-License-Identifier: Apache-2.0

/// Splits text into words at ASCII white space.
extension RawSpan {
    /// Whether the text, with A-Z folded, begins with these words.
    @inlinable
    public func begins(withFolded words: RawSpan) -> Bool {
        let count = words.byteCount
        guard count <= byteCount, count == byteCount || ASCII.isWhitespace(byte(at: count)) else { return false }
        return extracting(0..<count).isEqual(toFolded: words)
    }

    /// The end of the first word at or after `start` that equals `folded` once A-Z are folded.
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

    /// Whether `matches` holds for every word of this text.
    @inlinable @inline(__always)
    public func allWords(_ matches: (RawSpan) -> Bool) -> Bool {
        var start = 0
        while start < byteCount {
            let end = endOfWord(from: start)
            if end > start, !matches(extracting(start..<end)) { return false }
            start = end &+ 1
        }
        return true
    }

    /// The offset of the first white space at or after `start`, or the end of the text.
    @inlinable
    public func endOfWord(from start: Int) -> Int {
        var offset = start
        while offset &+ 8 <= byteCount {
            let word = word(at: offset)
            // The high bit of each byte below 0x21 is set; only the lowest set bit is reliable.
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
