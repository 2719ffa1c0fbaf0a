internal import ByteOperations
package import GroupDirectory
package import RecordStorage
package import Sealing

/// What stands under the name of a journal, as far as that can be told without a key.
package enum JournalLook: Hashable, Sendable {
    /// Nothing.
    case absent
    /// A file without a byte.
    case empty
    /// A file that begins like a journal and ends within its header, and so before the copy of that.
    case cut
    /// Something that does not begin like a journal.
    case foreign
    /// A file that begins like a journal. Nothing vouches for it yet.
    case journal
}

extension FileStore {
    /// Looks at what stands under the name of the journal.
    ///
    /// - Throws: ``StorageError/Code/unsafeFile`` and what else opening it meets.
    package static func look(in directory: GroupDirectory) throws(StorageError) -> JournalLook {
        let file: CheckedFile
        do throws(StorageError) {
            file = try directory.openFile(JournalFormat.fileName, .reading)
        } catch {
            guard error.code == .notFound else { throw error }
            return .absent
        }
        let start = try file.read(at: 0, count: 8)
        if start.isEmpty { return .empty }
        guard start.count == 8, start.rawSpan.uint64(at: 0) == JournalHeader.magic else { return .foreign }
        return file.identity.size < UInt64(JournalHeader.byteCount) ? .cut : .journal
    }

    /// The group that the journal says it is of; `nil` where there is none that says so. Nothing vouches for it.
    package static func claimedGroup(in directory: GroupDirectory) throws(StorageError) -> GroupUUID? {
        guard try look(in: directory) == .journal else { return nil }
        let file = try directory.openFile(JournalFormat.fileName, .reading)
        let start = try file.read(at: 0, count: JournalHeader.byteCount)
        return try? JournalHeader(decoding: start.rawSpan).group
    }

    /// Sets what stands under the name of the journal and the state file aside, so that the folder holds no group any more.
    /// For what is no journal, and for one of which no header is left: nobody looks into it.
    ///
    /// - Parameters:
    ///   - identity: of what was found there; `nil` for nothing.
    ///   - directory: of the group.
    ///   - deadline: for the writer's lock.
    /// - Returns: the names of the files in the quarantine.
    /// - Throws: ``StorageError/Code/busy`` where something else stands there now, or the same was changed, and what setting
    ///   aside meets.
    package static func setAside(
        _ identity: FileIdentity?,
        in directory: GroupDirectory,
        until deadline: Deadline
    ) throws(StorageError) -> [String] {
        if let readOnlyReason = directory.readOnlyReason { throw readOnlyReason }
        return try directory.withLock(.writer, until: deadline) { () throws(StorageError) in
            guard try directory.identity(of: JournalFormat.fileName) == identity else {
                throw StorageError(
                    .busy,
                    path: directory.path(of: JournalFormat.fileName),
                    detail: "the group keeps changing"
                )
            }
            var files: [String] = []
            // The state file goes last: until then the group is there, and its journal is missing.
            for (name, label) in [(JournalFormat.fileName, "journal"), (GroupDirectory.FileName.state, "store")]
            where try directory.identity(of: name) != nil {
                files.append(try directory.quarantineFile(name, label: label))
            }
            directory.revision.bump()
            return files
        }
    }
}
