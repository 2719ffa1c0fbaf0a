// SPDX-License-Identifier: Apache-2.0

extension StringProtocol {
    /// Where the UTF-8 of `text` first occurs; `nil` if it does not.
    ///
    /// The standard library has this only in the module that parses regular expressions, which is a tenth of a program that needs
    /// nothing else of it.
    public func firstPlace(of text: String) -> Range<Index>? {
        // One type, so that the loop is compiled for it.
        let bytes = Substring(self).utf8
        guard let first = text.utf8.first else { return startIndex..<startIndex }
        var start = bytes.startIndex
        while let place = bytes[start...].firstIndex(of: first) {
            let rest = bytes[place...]
            if rest.starts(with: text.utf8) { return place..<rest.index(place, offsetBy: text.utf8.count) }
            start = bytes.index(after: place)
        }
        return nil
    }
}
