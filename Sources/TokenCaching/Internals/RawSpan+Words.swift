internal import ByteOperations

extension RawSpan {
    /// Whether the text begins with these words, when A-Z are folded in it. Words are divided by ASCII white space.
    func begins(withFolded words: RawSpan) -> Bool {
        let count = words.byteCount
        guard count <= byteCount, count == byteCount || ASCII.isWhitespace(byte(at: count)) else { return false }
        return extracting(0..<count).isEqual(toFolded: words)
    }

    /// Where the first word ends, of those from `start` on, that is `folded` when A-Z are folded in it. Words are divided by
    /// ASCII white space.
    func endOfFirst(folded: RawSpan, from start: Int) -> Int? {
        let wanted = folded.byteCount
        var start = start
        while start &+ wanted <= byteCount {
            let end = endOfWord(from: start)
            if end &- start == wanted, wanted > 0, extracting(start..<end).isEqual(toFolded: folded) { return end }
            start = end &+ 1
        }
        return nil
    }

    /// Whether all words of this text are as `isMeant` says. Words are divided by ASCII white space.
    @inline(__always)
    func allWords(_ isMeant: (RawSpan) -> Bool) -> Bool {
        var start = 0
        while start < byteCount {
            let end = endOfWord(from: start)
            if end > start, !isMeant(extracting(start..<end)) { return false }
            start = end &+ 1
        }
        return true
    }

    /// The first white space from `start` on, or the end.
    func endOfWord(from start: Int) -> Int {
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

    /// A hash of the bytes, good for tables inside this process. Not for anything that is stored.
    func processHash(seed: UInt64) -> UInt64 {
        var hash = seed ^ UInt64(byteCount) &* 0x9E37_79B9_7F4A_7C15
        var offset = 0
        while offset < byteCount {
            var piece: UInt64 = 0
            if offset &+ 8 <= byteCount {
                piece = word(at: offset)
            } else {
                for index in offset..<byteCount { piece = piece << 8 | UInt64(byte(at: index)) }
            }
            let product = (hash ^ piece).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
            hash = product.high ^ product.low
            offset &+= 8
        }
        let product = (hash ^ seed).multipliedFullWidth(by: 0xA076_1D64_78BD_642F)
        return product.high ^ product.low
    }
}
