internal import ByteOperations
package import GroupDirectory
internal import GroupRecords
package import RecordStorage
package import Sealing

extension StoreState {
    /// Whether somebody with the keys of the group wrote this. Anybody who can write the folder can write the rest.
    package func isAuthentic(under keys: GroupKeys) -> Bool {
        guard let authenticator, group == keys.uuid.description, let known = Digest(authenticator.rawSpan) else {
            return false
        }
        return (try? keys.authenticator(ofState: authenticatedText)) == known
    }

    /// What is said in the place of a reason that may be anybody's.
    package static let unvouchedReason = "unknown: what the folder said of it was not signed with the keys of the group"

    /// Why the group has its store, as far as it was noted: not before the group was made.
    var notedReason: String? { phase == .creating ? nil : reason }

    /// Vouches for what it says.
    package mutating func authenticate(with keys: GroupKeys) throws(StorageError) {
        let text = authenticatedText
        authenticator = try sealing { () throws(SealingError) in try keys.authenticator(ofState: text).bytes }
    }

    /// What is said of a state file that names something to be removed while nobody with the keys vouches for it.
    package func notVouchedFor(in directory: GroupDirectory) -> StorageError {
        StorageError(
            .damaged,
            path: directory.path(of: GroupDirectory.FileName.state),
            detail:
                "the file names another store to be emptied, but is not signed with the keys of the group, so nothing was "
                + "removed; cachetool repair checks it and writes it anew after a yes"
        )
    }
}

extension GroupDirectory {
    /// Changes what the state file says, and vouches for it with the keys of the group, but never for removals that somebody
    /// wrote who had none, nor for where such a one says that the keyring has what opens the file.
    ///
    /// - Returns: what it says now; `nil` if there is no such file.
    @discardableResult
    package func changeState(
        with keys: GroupKeys,
        until deadline: Deadline,
        _ body: (inout StoreState) throws(StorageError) -> Void
    ) throws(StorageError) -> StoreState? {
        let lock = try lock(.writer, until: deadline)
        guard let old = try readState() else { return nil }
        var new = old
        try body(&new)
        if new == old { return old }
        let wasAuthentic = old.isAuthentic(under: keys)
        if !wasAuthentic {
            if new.reason == old.reason { new.reason = StoreState.unvouchedReason }
            // Of a group in the keyring the collection is where it was opened.
            if new.collection == old.collection, new.storage == .file { new.collection = nil }
        }
        let mayVouch = !old.namesRemovals || !new.namesRemovals || wasAuthentic
        new.authenticator = nil
        if mayVouch, new.group == keys.uuid.description { try new.authenticate(with: keys) }
        try writeState(new, under: lock)
        return new
    }
}
