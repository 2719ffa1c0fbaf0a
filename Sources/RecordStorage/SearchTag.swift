/// A second name under which partitions can be found, such as a keyed hash of a username: 64 bits.
///
/// Two names may share a tag: who searches checks what it finds.
package struct SearchTag: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }
}
