// SPDX-License-Identifier: Apache-2.0

package import GroupDirectory
internal import RecordStorage
internal import Sealing
internal import SystemPackage

/// What to open or create in the folder of a group.
package struct StoragePlan {
    package let kind: StorageKind
    /// The reason for this store: as the folder records it, or for a new group.
    let reason: String
    /// The keyring collection that the caller named; for a group in the keyring, otherwise the recorded one.
    let collection: String?
    /// The ways to unlock the group, if it is in the file.
    package var materials: [KeyMaterial] = []
    /// The ways to unlock for which a new group in the file gets slots.
    package var creation: [KeyMaterial] = []
    /// The state from the folder; nil if there is none, or it cannot be read.
    package var state: StoreState?
    /// The journal that existed after that state was read.
    var journal: FileIdentity?
    /// The other stores that may contain records of the group.
    package internal(set) var otherStores: [OtherStore] = []

    package init(
        kind: StorageKind,
        reason: String,
        collection: String?,
        materials: [KeyMaterial] = [],
        creation: [KeyMaterial] = [],
        state: StoreState? = nil,
        journal: FileIdentity? = nil
    ) {
        self.kind = kind
        self.reason = reason
        self.collection = collection
        self.materials = materials
        self.creation = creation
        self.state = state
        self.journal = journal
    }

    /// The folder's reason is reported only if it is authenticated with the keys.
    func location(in directory: GroupDirectory, _ keys: GroupKeys?) -> StorageLocation {
        let isOwn = state?.notedReason == nil
        let isAuthentic = keys.map { state?.isAuthentic(under: $0) ?? false } ?? false
        return StorageLocation(
            kind: StorageLocation.Kind(kind),
            folder: directory.path.string,
            collection: collection,
            reason: isOwn || isAuthentic ? reason : StoreState.unauthenticatedReason
        )
    }
}

extension StoragePlan {
    /// The error of a keyring that does not have the group, if the folder also contains a journal.
    func mentioningJournal(_ error: StorageError) -> StorageError {
        guard journal != nil, [.keyringMissing, .keyringItemMissing, .notFound].contains(error.code) else {
            return error
        }
        return error.mentioningJournal
    }
}

extension StorageError {
    /// Adds the advice for a state file that may hide the journal beside it.
    var mentioningJournal: StorageError {
        let also = "there is also a journal in the folder"
        return StorageError(
            code,
            path: path,
            detail: [detail, also].compactMap(\.self).joined(separator: "; "),
            advice: "Run cachetool repair, which checks whether the journal is the group",
            errno: errno
        )
    }
}
