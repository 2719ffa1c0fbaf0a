/// What kind of thing a record holds. Stores carry the number and give it no meaning.
package struct RecordKind: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }
}
