// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// The characters of tokens: visible ASCII and the space (RFC 6749, appendix A). Anything else, such as a line break,
/// could end a header field or a line of a program's configuration, and continue there with content of its own.
package enum TokenText {
    /// Whether the content of a JSON string is a token: at least one character, and no other ones than those.
    package static func isValid(_ content: RawSpan, hasEscapes: Bool) -> Bool {
        guard content.byteCount > 0 else { return false }
        guard hasEscapes else { return isValid(content) }
        var unescaper = JSONUnescaper(.refused)
        while let byte = unescaper.next(of: content) {
            guard allowed.contains(byte) else { return false }
        }
        return !unescaper.failed
    }

    private static let allowed: ClosedRange<UInt8> = 0x20...0x7E

    private static func isValid(_ bytes: RawSpan) -> Bool {
        let (ones, highBits): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
        var offset = 0
        while offset + 8 <= bytes.byteCount {
            let word = bytes.word(at: offset)
            // The high bit of a byte is set in the sum above 0x7E, and stays unset in the difference from 0x20 upwards.
            // Neither carries into the next byte as long as all bytes are ASCII.
            guard word & highBits == 0, (word &+ ones) & highBits == 0,
                ((word | highBits) &- 0x20 &* ones) & highBits == highBits
            else { return false }
            offset += 8
        }
        while offset < bytes.byteCount {
            guard allowed.contains(bytes.byte(at: offset)) else { return false }
            offset += 1
        }
        return true
    }
}
