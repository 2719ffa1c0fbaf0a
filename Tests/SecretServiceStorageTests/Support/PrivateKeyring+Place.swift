import Programs
import SecretServiceStorage

extension PrivateKeyring {
    /// The default collection of this keyring, or another one.
    func place(collection: String? = nil) -> SecretServicePlace {
        SecretServicePlace(busAddress: address, collection: collection)
    }
}
