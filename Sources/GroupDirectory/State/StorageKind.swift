// SPDX-License-Identifier: Apache-2.0

/// The kind of store that keeps a group's records. Newer versions may define more kinds.
package struct StorageKind: RawRepresentable, Hashable, Sendable {
    /// One to 32 characters of `a-z 0-9 -`.
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The encrypted file in the group's folder.
    package static let file = StorageKind(rawValue: "file")
    /// The user's keyring.
    package static let keyring = StorageKind(rawValue: "keyring")
}

/// A store that a group uses, used or will use.
package struct StoreReference: Hashable, Sendable {
    package let storage: StorageKind
    /// The collection of the keyring, if one was named.
    package let collection: String?

    package init(_ storage: StorageKind, collection: String? = nil) {
        self.storage = storage
        self.collection = collection
    }
}
