/// Which kind of store keeps the records of a group. A newer version may know more kinds than these.
package struct StorageKind: RawRepresentable, Hashable, Sendable {
    /// One to 32 of `a-z 0-9 -`.
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The encrypted file in the group's folder.
    package static let file = StorageKind(rawValue: "file")
    /// The person's keyring.
    package static let keyring = StorageKind(rawValue: "keyring")
}
