/// Where a keyring is: which bus, which collection.
package struct SecretServiceLocation: Hashable, Sendable {
    /// The address of the session bus; `nil` for the one that the environment names.
    package let busAddress: String?
    /// The name of the collection, or `nil` for the default one.
    package let collection: String?

    package init(busAddress: String? = nil, collection: String? = nil) {
        self.busAddress = busAddress
        self.collection = collection
    }
}
