// SPDX-License-Identifier: Apache-2.0

internal import FileStorage
internal import GroupDirectory
internal import RecordStorage
internal import SecretServiceStorage
internal import TokenCaching

/// A group right after it was opened to be created: where it is, and the files that change whenever something is stored in
/// it.
struct GroupBeginning {
    let location: GroupLocation
    private let files: [FileIdentity?]

    init(_ location: GroupLocation, in directory: GroupDirectory) throws(StorageError) {
        self.location = location
        files = try Self.files(in: directory)
    }

    /// Whether nothing was stored since.
    func isUnchanged(in directory: GroupDirectory) throws(StorageError) -> Bool {
        try Self.files(in: directory) == files
    }

    private static func files(in directory: GroupDirectory) throws(StorageError) -> [FileIdentity?] {
        [try directory.identity(of: FileStore.fileName), try directory.identity(of: SecretServiceStore.listName)]
    }
}
