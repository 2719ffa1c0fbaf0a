// SPDX-License-Identifier: Apache-2.0

/// Makes text from a cache safe to display, because any program may have written it.
public enum VisibleText {
    /// `text` with control characters, terminal escapes, and characters that hide text or change its order escaped as
    /// `\u{1B}`. Text without such characters is returned unchanged.
    public static func escaped(_ text: String) -> String {
        if isPlain(text) || !text.unicodeScalars.contains(where: isUnsafe) { return text }
        return text.unicodeScalars.map { scalar in
            isUnsafe(scalar) ? "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}" : String(scalar)
        }.joined()
    }

    /// Like ``escaped(_:)``, for a message of several lines: preserves line ends.
    public static func escapedLines(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { escaped(String($0)) }.joined(
            separator: "\n"
        )
    }

    /// Whether the text is printable ASCII, as almost everything in a cache is: safe, and one column per byte.
    public static func isPlain(_ text: String) -> Bool {
        let bytes = text.utf8.span
        for index in bytes.indices where bytes[index] < 0x20 || bytes[index] >= 0x7F { return false }
        return true
    }

    /// Whether a terminal could interpret the scalar as a command, or a reader could be deceived by it.
    public static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0...0x1F, 0x7F...0x9F: true  // C0, DEL, C1
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true  // reorder what follows
        case 0x2028, 0x2029: true  // other line ends
        case 0x00AD, 0x200B, 0x2060...0x2064, 0xFEFF, 0xFFF9...0xFFFB: true  // invisible
        case 0xE0000...0xE0FFF: true  // tags and other invisible ones
        default: false
        }
    }
}
