package import GroupDirectory
internal import RecordStorage
internal import Sealing
internal import SystemPackage

/// What is to be opened, or created, in the folder of a group.
package struct StoragePlan {
    package enum Kind { case file, keyring }

    package let kind: Kind
    /// Why the group has this store: what its folder says, else what a new one gets to say.
    let reason: String
    /// The collection of the keyring that is noted, or was named.
    let collection: String?
    /// What may open the group, where it is in the file.
    package var materials: [KeyMaterial] = []
    /// What a new group in the file gets slots for.
    package var creation: [KeyMaterial] = []
    /// What the folder said; nil if it said nothing, or nothing that can be read.
    package var state: StoreState?
    /// The journal that was there after that was read.
    var journal: FileIdentity?

    package init(
        kind: Kind,
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

    /// What the folder said is told only where somebody with the keys vouches for it.
    func location(in directory: GroupDirectory, _ keys: GroupKeys?) -> StorageLocation {
        let isOwn = state?.notedReason == nil
        let isVouchedFor = keys.map { state?.isAuthentic(under: $0) ?? false } ?? false
        return StorageLocation(
            kind: kind == .file ? .file : .keyring,
            folder: directory.path.string,
            collection: collection,
            reason: isOwn || isVouchedFor ? reason : StoreState.unvouchedReason
        )
    }
}

extension StoragePlan {
    /// An error of a keyring that the group is not in, where a journal lies in the folder as well.
    func mentioningJournal(_ error: StorageError) -> StorageError {
        guard journal != nil, [.keyringMissing, .keyringItemMissing, .notFound].contains(error.code) else {
            return error
        }
        return error.mentioningJournal
    }
}

extension StorageError {
    /// With the way out where a state file may lead away from the journal beside it.
    var mentioningJournal: StorageError {
        let hint = "a journal lies in the folder all the same, and cachetool repair looks whether that is the group"
        return StorageError(
            code,
            path: path,
            detail: [detail, hint].compactMap(\.self).joined(separator: "; "),
            errno: errno
        )
    }
}
