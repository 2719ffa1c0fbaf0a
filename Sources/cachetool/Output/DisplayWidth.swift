// SPDX-License-Identifier: Apache-2.0

import ToolInterface

/// The width of text on a terminal, in columns.
enum DisplayWidth {
    /// The width of `text`, which must not contain control characters (see ``VisibleText``).
    static func of(_ text: String) -> Int {
        VisibleText.isPlain(text) ? text.utf8.count : text.reduce(0) { $0 + of($1) }
    }

    /// The width of one character as displayed: 0, 1 or 2.
    static func of(_ character: Character) -> Int {
        var width = 0
        for scalar in character.unicodeScalars {
            // A variation selector requests the emoji form.
            if scalar.value == 0xFE0F && width == 1 { return 2 }
            width = max(width, of(scalar))
        }
        return width
    }

    /// `text` truncated to at most `columns`, with `…` in place of the rest.
    static func truncated(_ text: String, to columns: Int) -> String {
        if of(text) <= columns { return text }
        if columns <= 0 { return "" }
        var result = ""
        var width = 0
        for character in text {
            let next = of(character)
            if width + next > columns - 1 { break }
            result.append(character)
            width += next
        }
        return result + "…"
    }

    private static func of(_ scalar: Unicode.Scalar) -> Int {
        if scalar.value < 0x300 { return 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: return wide.contains { $0.contains(scalar.value) } || scalar.properties.isEmojiPresentation ? 2 : 1
        }
    }

    /// Blocks whose characters take two columns (East Asian Width W and F).
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
        0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
        0x17000...0x18DFF, 0x1B000...0x1B2FF, 0x1F200...0x1F2FF, 0x20000...0x3FFFD,
    ]
}
