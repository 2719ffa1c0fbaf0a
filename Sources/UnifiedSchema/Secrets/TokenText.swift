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
        let wordCount = bytes.byteCount / 8
        // The high bit of each byte that is not allowed, in any word. Without a branch, so that the compiler processes
        // several words at a time.
        var others: UInt64 = 0
        for index in 0..<wordCount {
            let word = bytes.word(at: index &* 8)
            // The high bit of a byte is set in the sum above 0x7E, and in the difference below 0x20. Neither carries into
            // the next byte as long as all bytes are ASCII.
            others |= word | (word &+ ASCII.lowBits) | ~((word | ASCII.highBits) &- 0x20 &* ASCII.lowBits)
        }
        guard others & ASCII.highBits == 0 else { return false }
        for offset in wordCount * 8..<bytes.byteCount where !allowed.contains(bytes.byte(at: offset)) { return false }
        return true
    }
}
