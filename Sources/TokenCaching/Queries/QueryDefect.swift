// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// Why a query cannot be answered: the sentences for texts that name nothing. Such a query fails, because an answer
/// that the user has to sign in would hide the mistake.
enum QueryDefect {
    /// Whether concatenated texts have only letters, digits, hyphens and single dots, as most tenants and hosts
    /// do. Looks at all bytes without branches, so that the compiler processes sixteen at a time.
    static func arePlain(_ texts: RawSpan) -> Bool {
        // SAFETY: the bytes are only read, inside the closure, each below the count.
        unsafe texts.withUnsafeBytes { bytes in
            guard let last = unsafe bytes.last else { return true }
            var others: UInt8 = isPlain(last) ^ 1
            for index in 0..<bytes.count &- 1 {
                let (byte, next) = unsafe (bytes[index], bytes[index &+ 1])
                let isDot: UInt8 = byte == UInt8(ascii: ".") ? 1 : 0
                let isNextOther: UInt8 = next == UInt8(ascii: ".") ? 0 : 1
                others |= (isPlain(byte) | isDot & isNextOther) ^ 1
            }
            return others == 0
        }
    }

    /// 1 for letters, digits and hyphens, 0 for others.
    @inline(__always)
    private static func isPlain(_ byte: UInt8) -> UInt8 {
        let isLetter: UInt8 = byte &- UInt8(ascii: "a") < 26 ? 1 : 0
        let isDigit: UInt8 = ASCII.isDigit(byte) ? 1 : 0
        let isHyphen: UInt8 = byte == UInt8(ascii: "-") ? 1 : 0
        return isLetter | isDigit | isHyphen
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
        // SAFETY: the bytes are only read, inside the closure.
        unsafe text.withUnsafeBytes { bytes in
            var others: UInt8 = 0
            for index in bytes.indices {
                let byte = unsafe bytes[index]
                let isControl: UInt8 = byte < 0x20 ? 1 : 0
                let isDelete: UInt8 = byte == 0x7F ? 1 : 0
                let isQuote: UInt8 = byte == UInt8(ascii: "\"") ? 1 : 0
                let isBackslash: UInt8 = byte == UInt8(ascii: "\\") ? 1 : 0
                others |= isControl | isDelete | isQuote | isBackslash
            }
            return others == 0 ? nil : noScope
        }
    }

    private static let noHost =
        "the environment is not a host: name the host alone, such as login.microsoftonline.com"
    private static let noTenant = "the tenant is not one: give its id, its domain or the path of the issuer, not a URL"
    private static let noScope =
        "a scope contains a character that no scope has: a quote, a backslash or a control character"
}
