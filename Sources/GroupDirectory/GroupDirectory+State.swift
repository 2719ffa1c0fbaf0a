// SPDX-License-Identifier: Apache-2.0

package import RecordStorage
internal import SystemPackage

extension GroupDirectory {
    /// Reads the file `store`; `nil` only if it does not exist.
    ///
    /// Needs no lock, because writers replace the file atomically.
    ///
    /// - Throws: ``StorageError/Code/damaged`` if it exists but is malformed or not a state file,
    ///   ``StorageError/Code/unsupportedVersion`` if a newer version wrote it.
    package func readState() throws(StorageError) -> StoreState? {
        let file: CheckedFile
        do throws(StorageError) {
            file = try openFile(FileName.state, .reading)
        } catch {
            if error.code == .notFound { return nil }
            throw error
        }
        // The file never changes in place, so its size is fixed. Read no more than the permitted size.
        let count = min(Int(clamping: file.identity.size), StoreStateText.maximumByteCount + 1)
        let bytes = try describing("reading the file", path: file.path) { () throws(Errno) in
            try Syscalls.read(file.descriptor, at: 0, count: count)
        }
        do throws(StoreStateText.Flaw) {
            let state = try StoreStateText.decode(bytes)
            noteConfirmed(state, file.identity)
            return state
        } catch {
            throw Self.refusal(error, path: file.path)
        }
    }

    /// Replaces the file `store`, durably and atomically.
    ///
    /// - Parameters:
    ///   - state: the new content. Preserve the unknown fields of the state you read.
    ///   - lock: the writer's lock, which the caller holds.
    /// - Throws: ``StorageError/Code/tooLarge``, ``StorageError/Code/full``, ``StorageError/Code/readOnly``,
    ///   ``StorageError/Code/indeterminate`` if a sync failed; read the file again to find out which content it has.
    package func writeState(_ state: StoreState, under lock: borrowing DirectoryLock) throws(StorageError) {
        precondition(
            lock.protects(.writer, of: self),
            "the state file is changed only under the writer's lock of the group"
        )
        let bytes = StoreStateText.encode(state)
        guard bytes.count <= StoreStateText.maximumByteCount, (try? StoreStateText.decode(bytes)) == state else {
            throw StorageError(
                .tooLarge,
                path: path(of: FileName.state),
                detail: "the state does not fit into the state file"
            )
        }
        let temporary = try makeTemporary()
        try describing("writing the file", path: path(of: FileName.state)) { () throws(Errno) in
            try Syscalls.write(temporary.descriptor, at: 0, bytes)
        }
        try install(temporary, as: FileName.state)
    }

    private static func refusal(_ flaw: StoreStateText.Flaw, path: String) -> StorageError {
        switch flaw.kind {
        case .damaged:
            StorageError(
                .damaged,
                path: path,
                detail: "the state file, which says where the records of this group are: \(flaw.rule)",
                advice: "Run cachetool repair to rewrite it from the journal; for a group in the keyring, add --adopt"
            )
        case .newer:
            StorageError(
                .unsupportedVersion,
                path: path,
                detail: "a newer version of this program wrote it (\(flaw.rule))"
            )
        }
    }
}
