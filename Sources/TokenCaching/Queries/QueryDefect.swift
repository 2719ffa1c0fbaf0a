// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import UnifiedSchema

/// Why a query cannot be answered: the sentences for texts that name nothing. Such a query fails, because an answer
/// that the user has to sign in would hide the mistake.
enum QueryDefect {
    /// Whether concatenated texts have only letters, digits, and dots and hyphens of which none stands beside a dot, as most
    /// tenants and hosts do.
    static func arePlain(_ texts: RawSpan) -> Bool {
        var (dotsBefore, signsBefore): (UInt64, UInt64) = (0, 0)
        let areAll = forEachWord(of: texts, filling: UInt8(ascii: "a")) { word, overlaps in
            let dots = word.bytes(equalTo: ".")
            let signs = word.bytes(from: "-", to: ".")
            let plain = word.bytes(from: "a", to: "z") | word.bytes(from: "0", to: "9") | signs
            if overlaps { (dotsBefore, signsBefore) = (0, 0) }
            // The next byte is in the next higher bits.
            let pairs = dots & (signs << 8 | signsBefore) | signs & (dots << 8 | dotsBefore)
            (dotsBefore, signsBefore) = (dots >> 56, signs >> 56)
            return plain == BytesOfWord.highBits && pairs == 0
        }
        return areAll && (texts.byteCount == 0 || texts.byte(at: texts.byteCount - 1) != UInt8(ascii: "."))
    }

    /// Whether a plain text may be no host: it begins or ends with a dot or a hyphen, or is too long.
    static func needsLook(_ environment: RawSpan) -> Bool {
        let count = environment.byteCount
        guard count > 0 else { return false }
        return count > longestHost || environment.byte(at: 0) <= UInt8(ascii: ".")
            || environment.byte(at: count - 1) <= UInt8(ascii: ".")
    }

    /// The most characters of a host's name (RFC 1035, section 2.3.4).
    static let longestHost = 253

    /// The reason that a text is no host with or without a port; nil if it is one.
    static func ofEnvironment(_ text: RawSpan) -> String? {
        var end = 0
        var last = UInt8(ascii: ".")
        name: while end < text.byteCount {
            let byte = text.byte(at: end)
            switch byte {
            case UInt8(ascii: "."), UInt8(ascii: "-"):
                if last == UInt8(ascii: ".") || byte == UInt8(ascii: ".") && last == UInt8(ascii: "-") { return noHost }
            // Letters, digits and underscores; names may be internationalised.
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"),
                0x80...:
                break
            default: break name
            }
            last = byte
            end += 1
        }
        if end > longestHost || last == UInt8(ascii: "-") { return noHost }
        if end == 0 { end = endOfAddress(text) }
        if end == text.byteCount, end > 0 { return nil }
        guard end > 0, text.byte(at: end) == UInt8(ascii: ":"), (2...6).contains(text.byteCount - end) else {
            return noHost
        }
        var port = 0
        for index in end + 1..<text.byteCount {
            guard ASCII.isDigit(text.byte(at: index)) else { return noHost }
            port = port * 10 + Int(text.byte(at: index) - UInt8(ascii: "0"))
        }
        return (1...65_535).contains(port) ? nil : noHost
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
        var isFirstSegment = true
        for index in 0..<text.byteCount {
            switch text.byte(at: index) {
            case ...0x20, 0x7F, UInt8(ascii: "?"), UInt8(ascii: "#"): return noTenant
            case UInt8(ascii: "/"):
                // https:/ and //host begin URLs, as a host of a cloud does.
                if index > 0, text.byte(at: index - 1) == UInt8(ascii: ":") { return noTenant }
                if index + 1 < text.byteCount, text.byte(at: index + 1) == UInt8(ascii: "/") { return noTenant }
                if isFirstSegment, let host = UTF8Text(normalizing: text.extracting(0..<index)),
                    CloudTable.builtIn.cloud(of: host) != nil
                {
                    return noTenant
                }
                isFirstSegment = false
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
