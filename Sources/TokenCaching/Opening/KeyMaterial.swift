package import RecordStorage
package import Sealing

/// One way to unlock a group, as given by the caller.
package enum KeyMaterial: Sendable {
    /// The key file that the library creates for the group.
    case ownKeyFile
    /// A key file that the caller named.
    case keyFile(KeyFile)
    /// An item in the keyring: in this collection, otherwise in the one recorded for the group, otherwise in the
    /// default one.
    case keyring(collection: String?)
    /// A passphrase, to be requested from the caller.
    case passphrase(@Sendable (PassphraseRequest) throws(TokenCacheError) -> Passphrase?)

    /// All ways that a choice names, in order.
    package static func all(in choice: FileUnlocking) throws(StorageError) -> [KeyMaterial] {
        switch choice {
        case .keyFile(nil): return [.ownKeyFile]
        case .keyFile(let path?): return [.keyFile(try KeyFile(at: path))]
        case .keyring(let collection): return [.keyring(collection: collection)]
        case .passphrase(let ask): return [.passphrase(ask)]
        case .anyOf(let choices):
            var all: [KeyMaterial] = []
            for choice in choices { all += try self.all(in: choice) }
            return all
        }
    }

    /// The kind of slot that it opens.
    package var slotKind: SlotKind {
        switch self {
        case .ownKeyFile, .keyFile: .keyFile
        case .keyring: .keyring
        case .passphrase: .passphrase
        }
    }
}

extension [KeyMaterial] {
    /// The keyring collection that it names, if any.
    package var collection: String? {
        for case .keyring(let collection?) in self { return collection }
        return nil
    }
}
