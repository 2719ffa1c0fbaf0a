// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// Identifies files that are not UTF-8 text by their first bytes.
enum DocumentEncoding {
    /// Whether this is the beginning of a list of objects with the members `Key` and `Value`.
    private static func isDictionaryOfDotNet(_ start: [UInt8]) -> Bool {
        start.filter { !ASCII.isWhitespace($0) }.starts(with: #"[{"Key":"#.utf8)
    }

    /// The beginning of what DPAPI encrypts: the version and the id of its provider.
    private static let dpapi: [UInt8] = [
        0x01, 0x00, 0x00, 0x00, 0xD0, 0x8C, 0x9D, 0xDF, 0x01, 0x15, 0xD1, 0x11, 0x8C, 0x7A, 0x00, 0xC0, 0x4F, 0xC2,
        0x97,
        0xEB,
    ]

    /// Whether this is the beginning of what DPAPI encrypted, as it is, in base64 or in hexadecimal, in quotes or not.
    private static func isEncryptedByWindows(_ start: [UInt8]) -> Bool {
        if start.starts(with: dpapi) { return true }
        let text = String(decoding: start.filter { !ASCII.isWhitespace($0) && $0 != ASCII.quote }, as: UTF8.self)
        // Three bytes make four characters of base64.
        let encoded = Base64URL.encode(Array(dpapi.prefix(18)))
        let isBase64 = String(text.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }).hasPrefix(encoded)
        return isBase64 || text.lowercased().hasPrefix(Hexadecimal.text(dpapi))
    }

    /// Longer prefixes give no more information.
    private static let longestLook = 64

    /// Why the first bytes of a document are not UTF-8 text; nil if they may be.
    static func defect(of bytes: RawSpan) -> String? {
        let start = bytes.extracting(first: longestLook).copied()
        if isEncryptedByWindows(start) {
            return "the document was encrypted by Windows (DPAPI) for one of its users: decrypt it there, as that user"
        }
        if start.starts(with: RelaxedJSON.byteOrderMark) {
            return "the document must be UTF-8 without a byte order mark"
        }
        let opening = start.first { $0 != 0 && !ASCII.isWhitespace($0) }
        let isJSON = opening == ASCII.openBrace || opening == ASCII.openBracket
        if start.starts(with: [0xFE, 0xFF]) || start.starts(with: [0xFF, 0xFE]) || isJSON && start.prefix(2).contains(0)
        {
            return "the document must be UTF-8, and it looks like UTF-16 or UTF-32"
        }
        if isDictionaryOfDotNet(start) {
            return
                "the document is a cache of MSAL.NET 2, which stored a list of keys and values: let a newer MSAL.NET "
                + "read it and write it again"
        }
        if isJSON, start.first != 0 { return nil }
        let isText = start.allSatisfy { $0 >= 0x20 || ASCII.isWhitespace($0) } && (start.first ?? 0) < 0x80
        return isText ? nil : "the document is not text; if the library encrypts its cache, decrypt it first"
    }
}
