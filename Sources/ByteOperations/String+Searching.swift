// SPDX-License-Identifier: Apache-2.0

extension StringProtocol {
    /// Where the characters of `text` first occur; `nil` if they do not.
    ///
    /// The standard library has this only in the module that parses regular expressions, which is a tenth of a program that needs
    /// nothing else of it.
    public func firstPlace(of text: String) -> Range<Index>? {
        var start = startIndex
        while true {
            if self[start...].starts(with: text) { return start..<index(start, offsetBy: text.count) }
            guard start < endIndex else { return nil }
            formIndex(after: &start)
        }
    }
}
