// SPDX-License-Identifier: Apache-2.0

/// Text of a server that is printed on a terminal: control characters could change what it shows, invisible ones and those
/// that change the direction of text could make it read as something else.
enum TerminalText {
    /// Whether a character may be printed.
    static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        default: !scalar.properties.isDefaultIgnorableCodePoint
        }
    }

    /// The text without such characters, line breaks as spaces, of at most `limit` characters.
    static func cleaned(_ text: String, limit: Int) -> String {
        var clean = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(limit * 4) {
            if scalar == "\n" || scalar == "\r" || scalar == "\t" { clean.append(" ") }
            if isPlain(scalar) { clean.append(scalar) }
        }
        return String(String.UnicodeScalarView(clean.prefix(limit)))
    }
}
