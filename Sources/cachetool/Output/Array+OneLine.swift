// SPDX-License-Identifier: Apache-2.0

extension [String] {
    /// All elements, separated by spaces. `joined(separator:)` takes a hundred times as long at its first call, because
    /// it looks up conformances at run time.
    var inOneLine: String {
        guard var line = first else { return "" }
        for text in dropFirst() { line += " " + text }
        return line
    }
}
