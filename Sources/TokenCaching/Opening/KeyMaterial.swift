package import RecordStorage
package import Sealing

/// One thing that may open a group, as it was given.
package enum KeyMaterial: Sendable {
    /// The key file that the library makes for the group.
    case ownKeyFile
    /// A key file that the caller named.
    case keyFile(KeyFile)
    /// An item in the keyring: in this collection, else in the one that is noted for the group, else in the default one.
    case keyring(collection: String?)
    /// A passphrase, to be asked for.
    case passphrase(@Sendable (PassphraseRequest) throws(TokenCacheError) -> Passphrase?)

    /// Everything that a choice names, in its order.
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
    /// The collection of the keyring that is named in it, where one is.
    package var collection: String? {
        for case .keyring(let collection?) in self { return collection }
        return nil
    }
}
