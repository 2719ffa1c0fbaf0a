// SPDX-License-Identifier: Apache-2.0

internal import GroupDirectory
package import RecordStorage
package import Sealing

/// The ways to unlock the encrypted file of a group. Later versions may have more.
@nonexhaustive
public enum FileUnlocking: Sendable {
    /// A file with 32 to 4,096 secret bytes: a regular file of this user that no other user can read.
    ///
    /// Without a path, this is the group's own key file, which the library creates with the group, separately from the
    /// data: in `$XDG_STATE_HOME/swift-token-cache/keys`, or in `.keys` below a given root. With a path, a missing file
    /// is created only together with a new group; for an existing group it is an error. No key file is ever
    /// overwritten.
    case keyFile(path: String?)

    /// A file with 32 to 4,096 secret bytes that Kubernetes, Docker or another program mounted for this process: a regular file of
    /// root or this user, which no other user can write, on a file system that is mounted read-only or kept in memory. Links are
    /// followed within that file system. Every user of the container may be able to read it.
    ///
    /// It is only read: a missing file is an error, also for a new group.
    case mountedSecret(path: String)

    /// A credential with 32 to 4,096 secret bytes that systemd provides to the process, by its name in `LoadCredential=` or
    /// `LoadCredentialEncrypted=` of the unit: the file of that name in `$CREDENTIALS_DIRECTORY`, which not every user may read.
    /// Otherwise like ``mountedSecret(path:)``. Without the variable it is missing.
    case credential(String)

    /// An item in the user's keyring with 32 random bytes, which the library creates with the group.
    ///
    /// `collection` is the last component of a collection's path, such as `login`; without one, the collection given
    /// when the group was created is used, otherwise the default collection.
    case keyring(collection: String?)

    /// A passphrase. The closure is called only when it is needed: to create a group, to open one that none of the
    /// earlier ways opens, and again after another process changed the group's keys. Return `nil` to decline.
    ///
    /// The closure runs on the thread that opens or reads the cache. Other readers and writers do not have to wait
    /// meanwhile.
    case passphrase(@Sendable (PassphraseRequest) throws(TokenCacheError) -> Passphrase?)

    /// Several ways, tried in order; passphrases come last.
    case anyOf([FileUnlocking])

    /// The group's own key file.
    public static var keyFile: FileUnlocking { .keyFile(path: nil) }

    /// An item in the user's keyring.
    public static var keyring: FileUnlocking { .keyring(collection: nil) }

    /// The ways that need nothing from the caller, in the order in which ``StorageChoice/automatic`` tries them: the
    /// group's own key file, then the keyring. To try more, append them.
    ///
    /// - Parameter collection: the keyring collection, as for ``keyring(collection:)``.
    /// - Returns: these ways.
    public static func foundByLibrary(collection: String? = nil) -> [FileUnlocking] {
        KeyMaterial.foundByLibrary.map { material in
            switch material {
            case .ownKeyFile: .keyFile
            case .keyFile(let file): file.unlocking
            case .keyring: .keyring(collection: collection)
            case .passphrase(let ask): .passphrase(ask)
            }
        }
    }
}

/// One way to unlock a group, as given by the caller.
package enum KeyMaterial: Sendable {
    /// The key file that the library creates for the group.
    case ownKeyFile
    /// A key file that the caller named.
    case keyFile(KeyFile)
    /// An item in the keyring: in this collection, otherwise in the collection recorded for the group, otherwise in the
    /// default collection.
    case keyring(collection: String?)
    /// A passphrase, to be requested from the caller.
    case passphrase(@Sendable (PassphraseRequest) throws(TokenCacheError) -> Passphrase?)

    /// The ways that need nothing from the caller, in the order in which to try them.
    package static var foundByLibrary: [KeyMaterial] {
        let all = SlotKind.allCases.compactMap(\.materialOfLibrary)
        // The keyring comes last, because it may make the caller wait.
        let isInKeyring = { (material: KeyMaterial) in material.slotKind.secretPlace == .keyring }
        return all.filter { !isInKeyring($0) } + all.filter(isInKeyring)
    }

    /// All ways in a choice, in order.
    package static func all(in choice: FileUnlocking) throws(StorageError) -> [KeyMaterial] {
        switch choice {
        case .keyFile(nil): return [.ownKeyFile]
        case .keyFile(let path?): return [.keyFile(try KeyFile(at: path))]
        case .mountedSecret(let path): return [.keyFile(try KeyFile(at: path, mountedFor: .everybody))]
        case .credential(let name): return [.keyFile(try KeyFile(credential: name))]
        case .keyring(let collection): return [.keyring(collection: collection)]
        case .passphrase(let ask): return [.passphrase(ask)]
        case .anyOf(let choices):
            var all: [KeyMaterial] = []
            for choice in choices { all += try self.all(in: choice) }
            return all
        }
    }

    /// The kind of slot that the material opens.
    package var slotKind: SlotKind {
        switch self {
        case .ownKeyFile, .keyFile: .keyFile
        case .keyring: .keyring
        case .passphrase: .passphrase
        }
    }
}

extension KeyFile {
    /// The way of a caller who names this file.
    package var unlocking: FileUnlocking {
        switch mountedFor {
        case nil: .keyFile(path: path)
        case .group: .credential(name)
        case .everybody: .mountedSecret(path: path)
        }
    }
}

extension [KeyMaterial] {
    /// The keyring collection that these name, if any.
    package var collection: String? {
        for case .keyring(let collection?) in self { return collection }
        return nil
    }
}

extension SlotKind {
    /// The way to open a slot of this kind if the library can find the secret without the caller's help; otherwise nil.
    fileprivate var materialOfLibrary: KeyMaterial? {
        switch self {
        case .keyFile: .ownKeyFile
        case .keyring: .keyring(collection: nil)
        case .passphrase: nil
        }
    }

    /// The secret that opens it, for users.
    var opener: String {
        switch self {
        case .keyFile: "a key file"
        case .passphrase: "a passphrase"
        case .keyring: "a keyring"
        }
    }
}
