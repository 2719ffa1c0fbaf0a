package import RecordStorage

/// Names an entry for people and programs without telling anything about it: its record's tag in hexadecimal digits.
package struct EntryHandle: Hashable, Sendable {
    package let tag: RecordTag

    package init(_ tag: RecordTag) {
        self.tag = tag
    }

    /// The first eight digits, as a rule enough to tell entries apart.
    package var short: String { String(description.prefix(8)) }
}

extension EntryHandle: CustomStringConvertible {
    /// All 32 digits.
    package var description: String { Hexadecimal.text(tag.first) + Hexadecimal.text(tag.second) }
}
