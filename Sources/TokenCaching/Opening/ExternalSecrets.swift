// SPDX-License-Identifier: Apache-2.0

package import RecordStorage
package import Sealing

/// The secrets that the library keeps for the key slots of one group, outside its folder: those in use, and remains of
/// interrupted operations. The removal of a group and migrations find here what to remove.
package struct ExternalSecrets: Sendable {
    let group: GroupUUID
    let ownKeyFiles: OwnKeyFiles
    let keyringAccess: KeyringAccess
    /// The collection of the keyring that the group uses; `nil` for the default one.
    let collection: String?

    package init(
        of group: GroupUUID,
        ownKeyFiles: OwnKeyFiles,
        keyringAccess: KeyringAccess,
        collection: String? = nil
    ) {
        self.group = group
        self.ownKeyFiles = ownKeyFiles
        self.keyringAccess = keyringAccess
        self.collection = collection
    }

    /// The secrets in all places.
    ///
    /// - Parameter other: the place to leave out, if any.
    /// - Returns: the secrets, those in the keyring last, because it may make the caller wait.
    /// - Throws: errors of listing them.
    package func all(except other: SecretPlace? = nil) throws(StorageError) -> [ExternalSecret] {
        var all: [ExternalSecret] = []
        for place in SecretPlace.allCases where place != other { all += try secrets(in: place) }
        return all
    }
}

/// One secret outside the folder of a group, or several that can be removed only together.
package struct ExternalSecret {
    package let place: SecretPlace
    /// The path of a file; `nil` for items of the keyring.
    package let path: String?
    /// Whether it is a file that was overwritten by a removal that was interrupted, so that it opens nothing.
    package let isErased: Bool
    /// The epoch of the keys for which a file was made; `nil` if that is unknown.
    private let epoch: UInt32?
    private let removal: (Deadline) throws(StorageError) -> Void

    init(
        _ place: SecretPlace,
        path: String? = nil,
        isErased: Bool = false,
        epoch: UInt32? = nil,
        removal: @escaping (Deadline) throws(StorageError) -> Void
    ) {
        self.place = place
        self.path = path
        self.isErased = isErased
        self.epoch = epoch
        self.removal = removal
    }

    /// Whether it was made for keys of a later epoch than these, and therefore opens a newer state of the group.
    func isNewer(than keys: GroupKeys) -> Bool { epoch.map { $0 > keys.epoch } ?? false }

    package func remove(until deadline: Deadline) throws(StorageError) { try removal(deadline) }
}

extension KeySlots {
    /// Whether the library keeps the secret of any slot in this place.
    package func haveSecret(in place: SecretPlace) -> Bool { slots.contains { $0.kind?.secretPlace == place } }
}
