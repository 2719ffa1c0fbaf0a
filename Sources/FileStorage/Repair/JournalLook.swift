// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
package import GroupDirectory
package import RecordStorage
package import Sealing

/// The kind of file installed as the journal, as far as it can be determined without a key.
package enum JournalLook: Hashable, Sendable {
    /// No file.
    case absent
    /// An empty file.
    case empty
    /// A file that begins like a journal but ends within its header, so the header's copy is missing too.
    case truncated
    /// A file that does not begin like a journal.
    case foreign
    /// A file that begins like a journal. Its content is not authenticated.
    case journal
}

extension FileStore {
    /// Determines the kind of file installed as the journal.
    ///
    /// - Throws: ``StorageError/Code/unsafeFile`` and other errors of opening it.
    package static func look(in directory: GroupDirectory) throws(StorageError) -> JournalLook {
        do throws(StorageError) {
            return try directory.withJournal(.reading) { file throws(StorageError) in
                let start = try file.read(at: 0, count: 8)
                if start.isEmpty { return .empty }
                guard start.count == 8, start.rawSpan.uint64(at: 0) == JournalHeader.magic else {
                    throw StorageError(.foreign)
                }
                return file.identity.size < UInt64(JournalHeader.byteCount) ? .truncated : .journal
            }
        } catch {
            switch error.code {
            case .notFound: return .absent
            case .foreign: return .foreign
            default: throw error
            }
        }
    }

    /// The group named in the header of the journal, unauthenticated; `nil` if no header can be read.
    package static func claimedGroup(in directory: GroupDirectory) throws(StorageError) -> GroupUUID? {
        try claimedHeader(in: directory)?.group
    }

    /// The key slots in the header of the journal, unauthenticated; `nil` if they cannot be read.
    package static func claimedSlots(in directory: GroupDirectory) -> KeySlots? {
        (try? claimedHeader(in: directory)?.decodedKeySlots()) ?? nil
    }

    private static func claimedHeader(in directory: GroupDirectory) throws(StorageError) -> JournalHeader? {
        do throws(StorageError) {
            return try directory.withJournal(.reading) { file throws(StorageError) in
                let start = try file.read(at: 0, count: JournalHeader.byteCount)
                return try JournalHeader(decoding: start.rawSpan)
            }
        } catch {
            switch error.code {
            case .notFound, .damaged, .foreign, .unsupportedVersion: return nil
            default: throw error
            }
        }
    }

    /// Quarantines the journal and the state file without examining them, so that the folder no longer contains a
    /// group. Meant for a file that is not a journal or has no header left.
    ///
    /// - Parameters:
    ///   - identity: the identity of the file that the caller found; `nil` if it found none.
    ///   - directory: the group's folder.
    ///   - deadline: for the writer's lock.
    /// - Returns: the names of the files in the quarantine.
    /// - Throws: ``StorageError/Code/busy`` if the file was replaced or changed in the meantime, and errors of moving
    ///   it to the quarantine.
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
                    detail: "the journal was changed or replaced in the meantime"
                )
            }
            var files: [String] = []
            // Move the state file last: until then the group still exists, with its journal missing.
            for (name, label) in [(JournalFormat.fileName, "journal"), (GroupDirectory.FileName.state, "store")]
            where try directory.identity(of: name) != nil {
                files.append(try directory.quarantineFile(name, label: label))
            }
            directory.revision.bump()
            return files
        }
    }
}
