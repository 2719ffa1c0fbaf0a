internal import RecordStorage

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
