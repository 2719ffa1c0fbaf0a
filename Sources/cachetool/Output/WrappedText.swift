// SPDX-License-Identifier: Apache-2.0

import ToolInterface

/// Text on several lines of a terminal, broken between words.
enum WrappedText {
    /// The lines of `text`, joined by line ends and the indent.
    ///
    /// A word wider than a line, such as a path, is not broken: the terminal breaks it in a way that still allows
    /// copying it. For the same reason a command stays on one line.
    ///
    /// - Parameters:
    ///   - text: one paragraph, without control characters.
    ///   - width: the width of the terminal; nil for one line.
    ///   - indent: the number of spaces before every line except the first, which continues other text.
    /// - Returns: the lines.
    static func text(_ text: String, width: Int?, indent: Int) -> String {
        // On so narrow a terminal, a hanging indent would leave a column of single words.
        guard let width, width >= indent + 16 else { return text }
        var result = ""
        var used = indent
        for (index, part) in unbreakable(text).enumerated() {
            let columns = DisplayWidth.of(part)
            if index > 0 {
                let fits = used + 1 + columns <= width
                result += fits ? " " : "\n" + String(repeating: " ", count: indent)
                used = fits ? used + 1 : indent
            }
            result += part
            used += columns
        }
        return result
    }

    /// Splits the text into words, but keeps a command together.
    private static func unbreakable(_ text: String) -> [String] {
        var parts: [String] = []
        /// The number of words so far if the last part is a command, otherwise 0.
        var commandWords = 0
        var last = ""
        for word in text.split(separator: " ", omittingEmptySubsequences: false).map(String.init) {
            let isOption = word.hasPrefix("-") || last.hasPrefix("--")
            if commandWords > 0, commandWords < 3 || isOption, last.last.map({ !".,;:)".contains($0) }) ?? true {
                parts[parts.count - 1] += " " + word
                commandWords += 1
            } else {
                parts.append(word)
                commandWords = word.hasSuffix("cachetool") ? 1 : 0
            }
            last = word
        }
        return parts
    }
}
