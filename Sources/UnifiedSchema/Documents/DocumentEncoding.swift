// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// Identifies files that are not UTF-8 text by their first bytes.
enum DocumentEncoding {
    /// Longer prefixes give no more information.
    private static let longestLook = 64

    /// Why the first bytes of a document are not UTF-8 text; nil if they may be.
    static func defect(of bytes: RawSpan) -> String? {
        let start = bytes.extracting(first: longestLook).copied()
        if start.starts(with: RelaxedJSON.byteOrderMark) {
            return "the document must be UTF-8 without a byte order mark"
        }
        if start.starts(with: [0xFE, 0xFF]) || start.starts(with: [0xFF, 0xFE]) || start.prefix(2).contains(0) {
            return "the document must be UTF-8, and it looks like UTF-16 or UTF-32"
        }
        let opening = start.first { !ASCII.isWhitespace($0) }
        if opening == ASCII.openBrace || opening == ASCII.openBracket { return nil }
        let isText = start.allSatisfy { $0 >= 0x20 || ASCII.isWhitespace($0) } && (start.first ?? 0) < 0x80
        return isText ? nil : "the document is not text; if the library encrypts its cache, decrypt it first"
    }
}
