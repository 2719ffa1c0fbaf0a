// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import UnifiedSchema

/// Why a query cannot be answered: the sentences for texts that name nothing. Such a query fails, because an answer
/// that the user has to sign in would hide the mistake.
package enum QueryDefect {
    /// Whether concatenated texts have only letters, digits, and dots and hyphens of which no two stand side by side, as most
    /// tenants and hosts do.
    static func arePlain(_ texts: RawSpan) -> Bool {
        var others = Words()
        var offset = 0
        repeat {
            let words = words(of: texts, from: &offset, filling: UInt8(ascii: "a"))
            // A byte above 0x7F disturbs these comparisons, but such a text is not plain anyway.
            let signs = words.atLeast("-") & ~words.atLeast("/")
            let plain = signs | words.atLeast("0") & ~words.atLeast(":") | words.atLeast("a") & ~words.atLeast("{")
            // The next byte is in the next higher bits.
            others |= words | ~plain | signs & signs &<< 8
        } while offset < texts.byteCount &- 1
        return others.isNowhereHigh
            && (texts.byteCount == 0 || texts.byte(at: texts.byteCount - 1) != UInt8(ascii: "."))
    }

    /// Whether a plain text may be no host: it begins or ends with a dot or a hyphen, or is too long.
    static func needsLook(_ environment: RawSpan) -> Bool {
        let count = environment.byteCount
        guard count > 0 else { return false }
        return count > longestLabel || environment.byte(at: 0) <= UInt8(ascii: ".")
            || environment.byte(at: count - 1) <= UInt8(ascii: ".")
    }

    /// The most characters of a host's name, and of a label, what is between two dots (RFC 1035, section 2.3.4).
    private static let longestHost = 253, longestLabel = 63

    /// The reason that a text is no host with or without a port; nil if it is one.
    static func ofEnvironment(_ text: RawSpan) -> String? {
        var end = 0
        var label = 0
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
            label = byte == UInt8(ascii: ".") ? 0 : label + 1
            if label > longestLabel { return noHost }
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
    package static func ofTenant(_ text: RawSpan) -> String? {
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
        var others = Words()
        var offset = 0
        repeat {
            let words = words(of: text, from: &offset, filling: UInt8(ascii: " "))
            let low = words.low
            let isVisible = low.atLeast(" ") & ~low.atLeast("\u{7F}")
            let isNoQuote = low.differs(from: "\"") & low.differs(from: "\\")
            others |= ~(isVisible & isNoQuote) & ~words
        } while offset < text.byteCount &- 1
        return others.isNowhereHigh ? nil : noScope
    }

    /// Two words of a text from an offset on, or those at its end, and the offset of the next two. Each word overlaps the
    /// next one by a byte at least, so all pairs of bytes are in a word.
    @inline(__always)
    private static func words(of text: RawSpan, from offset: inout Int, filling: UInt8) -> Words {
        let count = text.byteCount
        defer { offset &+= 14 }
        if count >= 15 {
            let first = min(offset, count &- 15)
            return Words(text.word(at: first), text.word(at: first &+ 7))
        }
        if count >= 8 { return Words(text.word(at: 0), text.word(at: count &- 8)) }
        var word = UInt64(filling) &* ASCII.lowBits
        for index in 0..<count { word = word >> 8 | UInt64(text.byte(at: index)) << 56 }
        return Words(repeating: word)
    }

    private static let noHost =
        "the environment is not a host: name the host alone, such as login.microsoftonline.com"
    private static let noTenant = "the tenant is not one: give its id, its domain or the path of the issuer, not a URL"
    private static let noScope =
        "a scope contains a character that no scope has: a quote, a backslash or a control character"
}

/// Sixteen bytes, which are compared at once.
private typealias Words = SIMD2<UInt64>

/// Comparisons of bytes below 0x80, which leave the result in the high bit of each byte.
extension Words {
    /// The low seven bits of each byte.
    fileprivate var low: Words { self & Words(repeating: ~ASCII.highBits) }

    /// Whether no byte has its high bit set.
    fileprivate var isNowhereHigh: Bool { (self[0] | self[1]) & ASCII.highBits == 0 }

    fileprivate func atLeast(_ character: Unicode.Scalar) -> Words {
        self &+ Words(repeating: UInt64(0x80 - UInt8(ascii: character)) &* ASCII.lowBits)
    }

    fileprivate func differs(from character: Unicode.Scalar) -> Words {
        (self ^ Words(repeating: UInt64(UInt8(ascii: character)) &* ASCII.lowBits)).atLeast("\u{1}")
    }
}
