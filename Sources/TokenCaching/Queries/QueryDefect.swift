// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// Why a query cannot be answered: the sentences for texts that name nothing. Such a query fails, because an answer
/// that the user has to sign in would hide the mistake.
enum QueryDefect {
    /// Whether concatenated texts have only letters, digits, hyphens and single dots, as most tenants and hosts do.
    static func arePlain(_ texts: RawSpan) -> Bool {
        var dotsBefore: UInt64 = 0
        let areAll = forEachWord(of: texts, filling: UInt8(ascii: "-")) { word, overlaps in
            let dots = word.bytes(equalTo: ".")
            let plain =
                word.bytes(from: "a", to: "z") | word.bytes(from: "0", to: "9") | word.bytes(from: "-", to: ".")
            // The next byte is in the next higher bits.
            let arePlain = plain == BytesOfWord.highBits && dots & (dots << 8 | (overlaps ? 0 : dotsBefore)) == 0
            dotsBefore = dots >> 56
            return arePlain
        }
        return areAll && (texts.byteCount == 0 || texts.byte(at: texts.byteCount - 1) != UInt8(ascii: "."))
    }

    /// The reason that a text is no host with or without a port; nil if it is one.
    static func ofEnvironment(_ text: RawSpan) -> String? {
        var end = 0
        var isAfterDot = true
        name: while end < text.byteCount {
            switch text.byte(at: end) {
            case UInt8(ascii: "."):
                if isAfterDot { return noHost }
                isAfterDot = true
            // Letters, digits, hyphens and underscores; names may be internationalised.
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
                UInt8(ascii: "_"), 0x80...:
                isAfterDot = false
            default: break name
            }
            end += 1
        }
        if end == 0 { end = endOfAddress(text) }
        if end == text.byteCount, end > 0 { return nil }
        guard end > 0, text.byte(at: end) == UInt8(ascii: ":"), (2...6).contains(text.byteCount - end) else {
            return noHost
        }
        for index in end + 1..<text.byteCount where !ASCII.isDigit(text.byte(at: index)) { return noHost }
        return nil
    }

    /// The end of an IPv6 address in brackets at the beginning of a text; 0 if there is none.
    private static func endOfAddress(_ text: RawSpan) -> Int {
        guard text.byteCount > 3, text.byte(at: 0) == UInt8(ascii: "[") else { return 0 }
        for index in 1..<text.byteCount {
            switch text.byte(at: index) {
            case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: ":"),
                UInt8(ascii: "."):
                continue
            case UInt8(ascii: "]") where index > 1: return index + 1
            default: return 0
            }
        }
        return 0
    }

    /// The reason that a text is neither a tenant nor the path of an issuer; nil if it may be one.
    static func ofTenant(_ text: RawSpan) -> String? {
        for index in 0..<text.byteCount {
            switch text.byte(at: index) {
            case ...0x20, 0x7F, UInt8(ascii: "?"), UInt8(ascii: "#"): return noTenant
            // The beginning of a URL, such as https://.
            case UInt8(ascii: ":") where text.byteCount - index > 2:
                if text.byte(at: index + 1) == UInt8(ascii: "/"), text.byte(at: index + 2) == UInt8(ascii: "/") {
                    return noTenant
                }
            default: continue
            }
        }
        return nil
    }

    /// The reason that a list of scopes, separated by spaces, contains something else (RFC 6749, section 3.3), apart
    /// from letters beyond ASCII, which some servers accept; nil if it does not.
    static func ofScopes(_ text: RawSpan) -> String? {
        let areAll = forEachWord(of: text, filling: UInt8(ascii: " ")) { word, _ in
            let others =
                word.bytes(from: 0, to: 0x1F) | word.bytes(equalTo: "\"") | word.bytes(equalTo: "\\")
                | word.bytes(equalTo: 0x7F)
            return others == 0
        }
        return areAll ? nil : noScope
    }

    /// Whether a condition holds for all bytes of a text, eight at a time. The last eight may overlap those before: then the
    /// condition is told.
    @inline(__always)
    private static func forEachWord(of text: RawSpan, filling: UInt8, _ isMet: (BytesOfWord, Bool) -> Bool) -> Bool {
        let count = text.byteCount
        guard count >= 8 else {
            var word = UInt64(repeating: filling)
            for index in 0..<count { word = word << 8 | UInt64(text.byte(at: index)) }
            return isMet(BytesOfWord(word.byteSwapped), false)
        }
        var offset = 0
        while offset + 8 <= count {
            guard isMet(BytesOfWord(text.word(at: offset)), false) else { return false }
            offset += 8
        }
        return offset == count || isMet(BytesOfWord(text.word(at: count - 8)), true)
    }

    private static let noHost =
        "the environment is not a host: name the host alone, such as login.microsoftonline.com"
    private static let noTenant = "the tenant is not one: give its id, its domain or the path of the issuer, not a URL"
    private static let noScope =
        "a scope contains a character that no scope has: a quote, a backslash or a control character"
}

/// Eight bytes that are compared at once. Each comparison returns a word with the high bit of each byte that meets it; a byte
/// beyond ASCII meets none.
private struct BytesOfWord {
    static let highBits = UInt64(repeating: 0x80)

    private let low: UInt64
    private let areASCII: UInt64

    init(_ word: UInt64) {
        low = word & ~Self.highBits
        areASCII = ~word & Self.highBits
    }

    func bytes(equalTo byte: UInt8) -> UInt64 {
        ~((low ^ UInt64(repeating: byte)) &+ UInt64(repeating: 0x7F)) & areASCII
    }

    func bytes(equalTo character: Unicode.Scalar) -> UInt64 { bytes(equalTo: UInt8(ascii: character)) }

    func bytes(from first: UInt8, to last: UInt8) -> UInt64 {
        // Adding what is missing to 0x80 sets the high bit of the bytes that are at least as great.
        (low &+ UInt64(repeating: 0x80 - first)) & ~(low &+ UInt64(repeating: 0x7F - last)) & areASCII
    }

    func bytes(from first: Unicode.Scalar, to last: Unicode.Scalar) -> UInt64 {
        bytes(from: UInt8(ascii: first), to: UInt8(ascii: last))
    }
}

extension UInt64 {
    /// The same byte eight times.
    fileprivate init(repeating byte: UInt8) { self = UInt64(byte) &* 0x0101_0101_0101_0101 }
}
