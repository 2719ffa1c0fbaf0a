// SPDX-License-Identifier: Apache-2.0

internal import FileStorage
package import GroupDirectory
package import RecordStorage

extension JournalLook {
    /// What is wrong, as the beginning of a sentence. A journal counts as having only a header if a process with the
    /// keys found nothing more.
    package var problem: String {
        switch self {
        case .absent: "the journal of the group is gone"
        case .empty: "the journal of the group is empty"
        case .truncated: "the journal of the group ends within its header"
        case .foreign: "the file that should be the journal of the group is not a journal"
        case .journal: "neither the header of the journal nor its copy verifies"
        }
    }

    /// The error for this damage, the same everywhere.
    package func damage(in directory: GroupDirectory) -> StorageError {
        StorageError(.damaged, path: directory.path(of: FileStore.fileName), detail: problem)
    }
}
