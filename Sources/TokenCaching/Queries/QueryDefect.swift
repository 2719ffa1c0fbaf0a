// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// Why a query cannot be answered: the sentences for texts that name nothing. Such a query fails, because an answer
/// that the user has to sign in would hide the mistake.
enum QueryDefect {
    /// The reason that a text is no host with or without a port; nil if it is one.
    static func ofEnvironment(_ text: String) -> String? {
        var host = text.utf8[...]
        if let colon = host.lastIndex(of: UInt8(ascii: ":")),
            host.first != UInt8(ascii: "[") || isBracketed(host[..<colon])
        {
            let port = host[host.index(after: colon)...]
            guard !port.isEmpty, port.count <= 5, port.allSatisfy(ASCII.isDigit) else { return noHost }
            host = host[..<colon]
        }
        if isBracketed(host) {
            let address = host.dropFirst().dropLast()
            return address.allSatisfy { ASCII.isDigit($0) || isHexLetter($0) || $0 == UInt8(ascii: ":") || $0 == dot }
                ? nil : noHost
        }
        var last = dot
        for byte in host {
            guard isHostByte(byte), byte != dot || last != dot else { return noHost }
            last = byte
        }
        return host.isEmpty ? noHost : nil
    }

    /// The reason that a text is neither a tenant nor the path of an issuer; nil if it may be one.
    static func ofTenant(_ text: String) -> String? {
        var last: (UInt8, UInt8) = (0, 0)
        for byte in text.utf8 {
            if byte <= 0x20 || byte == 0x7F || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") {
                return noTenant
            }
            // The beginning of a URL, such as https://.
            if last == (UInt8(ascii: ":"), UInt8(ascii: "/")), byte == UInt8(ascii: "/") { return noTenant }
            last = (last.1, byte)
        }
        return nil
    }

    /// The reason that a list of scopes, separated by white space, contains something else (RFC 6749, section 3.3), apart
    /// from letters beyond ASCII, which some servers accept; nil if it does not.
    static func ofScopes(_ text: String) -> String? {
        let isList = text.utf8.allSatisfy { byte in
            ASCII.isWhitespace(byte)
                || byte > 0x20 && byte != 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
        }
        return isList
            ? nil : "a scope contains a character that no scope has: a quote, a backslash or a control character"
    }

    private static let noHost =
        "the environment is not a host: name the host alone, such as login.microsoftonline.com"
    private static let noTenant = "the tenant is not one: give its id, its domain or the path of the issuer, not a URL"
    private static let dot = UInt8(ascii: ".")

    private static func isBracketed(_ text: Substring.UTF8View) -> Bool {
        text.count > 2 && text.first == UInt8(ascii: "[") && text.last == UInt8(ascii: "]")
    }

    private static func isHexLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(ASCII.folded(byte))
    }

    /// Whether a byte may be part of a name, also of an internationalised one.
    private static func isHostByte(_ byte: UInt8) -> Bool {
        let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(ASCII.folded(byte))
        return isLetter || ASCII.isDigit(byte) || byte >= 0x80 || byte == dot || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: "_")
    }
}
