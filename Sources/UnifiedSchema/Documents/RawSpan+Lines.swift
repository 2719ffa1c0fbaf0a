// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

extension RawSpan {
    /// The line of the byte at `offset`, counted from 1.
    func lineNumber(at offset: Int) -> Int {
        1 + newlineCount(before: min(offset, byteCount))
    }

    /// The number of line feeds before `end`.
    func newlineCount(before end: Int) -> Int {
        let pattern = UInt64(ASCII.newline) &* ASCII.lowBits
        var count = 0
        var offset = 0
        while offset + 8 <= end {
            // Eight counters in one word, which cannot overflow within 255 rounds.
            var counters: UInt64 = 0
            let stop = min(end - 7, offset + 255 * 8)
            while offset < stop {
                let difference = word(at: offset) ^ pattern
                // Exact for each byte, unlike the usual test, in which a borrow can propagate.
                let isNonzero = ((difference & ~ASCII.highBits) &+ ~ASCII.highBits) | difference
                counters &+= (~isNonzero & ASCII.highBits) >> 7
                offset += 8
            }
            let pairs = (counters & 0x00FF_00FF_00FF_00FF) &+ (counters >> 8 & 0x00FF_00FF_00FF_00FF)
            count += Int((pairs &* 0x0001_0001_0001_0001) >> 48)
        }
        while offset < end {
            if byte(at: offset) == ASCII.newline { count += 1 }
            offset += 1
        }
        return count
    }
}
