/// One of the stores that a group may have.
package struct StoreReference: Hashable, Sendable {
    package let storage: StorageKind
    /// The collection of the keyring, where one was named.
    package let collection: String?

    package init(_ storage: StorageKind, collection: String? = nil) {
        self.storage = storage
        self.collection = collection
    }
}
