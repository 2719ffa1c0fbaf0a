// SPDX-License-Identifier: Apache-2.0

/// Makes a server's text safe to print on a terminal. Control characters could change what the terminal shows;
/// invisible characters, and characters that change the direction of text, could make it read as something else.
enum TerminalText {
    /// Whether a character may be printed.
    static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        default: !scalar.properties.isDefaultIgnorableCodePoint
        }
    }

    /// The text without such characters, with line breaks and tabs as spaces, of at most `limit` characters.
    static func cleaned(_ text: String, limit: Int) -> String {
        var clean = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(limit * 4) {
            if scalar == "\n" || scalar == "\r" || scalar == "\t" { clean.append(" ") }
            if isPlain(scalar) { clean.append(scalar) }
        }
        return String(String.UnicodeScalarView(clean.prefix(limit)))
    }
}
