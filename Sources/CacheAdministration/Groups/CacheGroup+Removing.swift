// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import GroupDirectory
internal import GroupRecords
internal import RecordStorage
internal import Sealing
public import TokenCaching

extension CacheGroup {
    /// Removes the group if it was opened with `GroupAccess.create` and contains no data that must be kept: for a
    /// program whose first step with a new group failed. Closes the group.
    ///
    /// Data that can be obtained again is no reason to keep the group: metadata of clouds, registered clients, and the note
    /// of which process is asking the user to sign in.
    ///
    /// - Returns: whether the group was removed. False if it holds anything else, or if another process is asking the
    ///   user to sign in.
    /// - Throws: `busy` and other codes about files and the keyring. Once its folder is removed, the group is gone
    ///   despite an error.
    @discardableResult
    public func removeIfUnused() throws(TokenCacheError) -> Bool {
        guard let directory = opened.directory else { return false }
        return try translating(try removeIfUnused(directory))
    }

    private func removeIfUnused(_ directory: GroupDirectory) throws(StorageError) -> Bool {
        try opened.checkProcess()
        let time = newTime()
        time.restart()
        guard let createdLocation, let keys = try opened.keysAndSequence(until: time.deadline)?.keys else {
            return false
        }
        // Once the folder is retired, no process finds it, so check its content under the writer's lock: without that
        // lock, no process can store anything.
        let retired: RetiredFolder? = try directory.withLock(.writer, until: time.deadline) { () throws(StorageError) in
            guard try isAlone(in: directory), try isUnused(until: time.deadline), try !directory.isAskedElsewhere()
            else { return nil }
            return try directory.retireFolder()
        }
        guard let retired else { return false }
        close()
        try GroupRemoval.removeRest(of: keys.uuid, retired, createdLocation, within: time)
        return true
    }

    /// Whether the folder contains nothing but this group: neither files of another store, nor files of others.
    private func isAlone(in directory: GroupDirectory) throws(StorageError) -> Bool {
        let otherStores = [any StorageBackend].all.filter { $0.kind != opened.storage }
        guard try directory.storeFileNames(isStoreFile: otherStores.haveFile).isEmpty else { return false }
        return try directory.contents(isStoreFile: [any StorageBackend].all.haveFile).others.isEmpty
    }

    /// Whether the group holds only data that can be obtained again.
    private func isUnused(until deadline: Deadline) throws(StorageError) -> Bool {
        let store = try opened.snapshot(until: deadline)
        defer { store.close() }
        let group = try opened.codec.groupPartition()
        for (partition, _) in try store.partitionsToRead(until: deadline) {
            guard partition == group else { return false }
            let reader = try PartitionReader(
                try store.contents(of: partition, until: deadline),
                codec: opened.codec
            )
            for (index, record) in reader.records.enumerated()
            where !record.kind.isCloudMetadata && !record.kind.isOfAuthorities {
                guard record.kind.isInteraction, case .content(let note) = try reader.interaction(index),
                    note.processID == nil || note.processID == getpid()
                else { return false }
            }
        }
        return true
    }
}
