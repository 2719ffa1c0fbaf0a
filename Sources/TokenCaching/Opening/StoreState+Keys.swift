// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
package import GroupDirectory
internal import GroupRecords
package import RecordStorage
package import Sealing
internal import SystemPackage

extension StoreState {
    /// Whether a process with the group's keys wrote this. Any process that can write the folder can write the rest.
    package func isAuthentic(under keys: GroupKeys) -> Bool {
        guard let authenticator, group == keys.uuid.description, let known = Digest(authenticator.rawSpan) else {
            return false
        }
        return (try? keys.authenticator(ofState: authenticatedText)) == known
    }

    /// Replaces a reason that is not authenticated.
    package static let unauthenticatedReason = "unknown: the state file was not signed with the keys of the group"

    /// The recorded reason for the group's store; nil before the group was created.
    var notedReason: String? { phase == .creating ? nil : reason }

    /// Authenticates the content of the state file.
    package mutating func authenticate(with keys: GroupKeys) throws(StorageError) {
        let text = authenticatedText
        authenticator = try sealing(try keys.authenticator(ofState: text).bytes)
    }

    /// The error for an unauthenticated state file that names a group in the keyring, which may be that of another
    /// folder.
    package func unprovenInKeyring(in directory: GroupDirectory) -> StorageError {
        StorageError(
            .damaged,
            path: directory.path(of: GroupDirectory.FileName.state),
            detail:
                "the state file names a group in the keyring, but is not signed with its keys, so the folder may not be "
                + "that group's",
            advice: "Only if you know that it is, run cachetool repair --adopt, which signs it"
        )
    }
}

extension StoreState {
    /// The error for a folder whose state file does not prove that what the keyring has of its group was made for it.
    package static func isCopy(in directory: GroupDirectory) -> StorageError {
        StorageError(
            .groupElsewhere,
            path: directory.path.string,
            detail:
                "this folder is a copy, or came back from a backup, so what the keyring has may belong to the original",
            advice: "Use the original; if that is gone, run cachetool repair --adopt"
        )
    }
}

extension GroupDirectory {
    /// Changes the state file and authenticates it with the keys of the group.
    ///
    /// - Returns: the new state; `nil` if there is no such file.
    @discardableResult
    package func changeState(
        with keys: GroupKeys,
        until deadline: Deadline,
        _ body: (inout StoreState) throws(StorageError) -> Void
    ) throws(StorageError) -> StoreState? {
        let lock = try lock(.writer, until: deadline)
        guard let old = try readState() else { return nil }
        let wasAuthentic = old.isAuthentic(under: keys)
        var new = old
        // What was not signed must not be signed unread: it would let a copy remove what its original needs.
        if !wasAuthentic { new.folder = nil }
        let unchanged = new
        try body(&new)
        if new == unchanged { return old }
        if !wasAuthentic, new.reason == old.reason { new.reason = StoreState.unauthenticatedReason }
        new.authenticator = nil
        if new.group == keys.uuid.description { try new.authenticate(with: keys) }
        try writeState(new, under: lock)
        return new
    }

    /// Whether the library made the key files and keyring items of a group for this very folder, according to its signed
    /// state file. Otherwise the folder may be a copy, and they may belong to the original.
    ///
    /// - Parameters:
    ///   - keys: the keys of the group.
    ///   - state: the state file.
    /// - Returns: whether it did.
    package func hasOwnSecrets(of keys: GroupKeys, _ state: StoreState?) -> Bool {
        guard let state, let folder = state.folder, state.isAuthentic(under: keys) else { return false }
        return folder == folderIdentity
    }
}
