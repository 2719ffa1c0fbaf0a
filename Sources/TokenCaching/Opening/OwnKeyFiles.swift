// SPDX-License-Identifier: Apache-2.0

internal import GroupDirectory
package import RecordStorage
package import Sealing
internal import SystemPackage

/// The key files that the library creates: in one folder, separate from the data, named after the group.
///
/// The first file of a group is named by the group's UUID, once the group has been created. The name of a later file
/// also contains the epoch of its keys, and that of a file made by a change of keys also has a random suffix, because
/// the old file must stay until the change is durable.
package struct OwnKeyFiles: Hashable, Sendable {
    let folder: FilePath
    /// Where earlier versions put key files if a caller named the user's own root explicitly. It is searched only for
    /// groups that have no key file in ``folder``.
    private let earlierFolder: FilePath?

    /// - Parameters:
    ///   - root: the root that the caller gave; `nil` for the user's own.
    ///   - earlierRoot: the user's own root, below which earlier versions may have put them.
    ///   - environment: the variables of the process.
    /// - Throws: ``StorageError/Code/homeMissing`` if the home folder is unknown.
    init(root: FilePath?, earlierRoot: FilePath? = nil, environment: [String: String]) throws(StorageError) {
        if let root {
            folder = root.appending(".keys")
            earlierFolder = nil
            return
        }
        earlierFolder = earlierRoot?.appending(".keys")
        guard let state = Environment.stateFolder(in: environment) else {
            throw StorageError(
                .homeMissing,
                detail: "key files are kept below XDG_STATE_HOME or HOME, and neither is an absolute path in UTF-8"
            )
        }
        folder = state.appending(["swift-token-cache", "keys"])
    }

    /// The file of a new group, once the group has been created.
    func first(of group: GroupUUID) -> KeyFile {
        KeyFile(folder: folder, name: group.description, isOwn: true)
    }

    /// The file while the group is being created: the name shows whether a key file may already open a group.
    package func begun(of group: GroupUUID) -> KeyFile {
        KeyFile(folder: folder, name: "\(group).begun", isOwn: true)
    }

    /// The first file for a group whose keys have this epoch.
    package func first(of group: GroupUUID, epoch: UInt32) -> KeyFile {
        if epoch == 1 { return first(of: group) }
        return KeyFile(folder: folder, name: "\(group).\(Self.epochMark)\(epoch)", isOwn: true)
    }

    /// A new file for keys of this epoch, in addition to existing ones.
    package func next(of group: GroupUUID, epoch: UInt32) -> KeyFile {
        let suffix = String(Syscalls.random(), radix: 16)
        return KeyFile(folder: folder, name: "\(group).\(Self.epochMark)\(epoch).\(suffix)", isOwn: true)
    }

    private static let epochMark = "epoch"

    /// The epoch of the keys for which a file of the group was made, according to its name; `nil` if the name contains
    /// none.
    package func epoch(of file: KeyFile, of group: GroupUUID) -> UInt32? {
        if file.name == first(of: group).name { return 1 }
        let start = "\(group).\(Self.epochMark)"
        guard file.name.hasPrefix(start) else { return nil }
        return UInt32(file.name.dropFirst(start.count).prefix { $0 != "." })
    }

    /// All files of a group, in the order in which naming evolved. Empty if there are none.
    package func all(of group: GroupUUID) throws(StorageError) -> [KeyFile] {
        let files = try Self.files(of: group, in: folder)
        guard files.isEmpty, let earlierFolder else { return files }
        return try Self.files(of: group, in: earlierFolder)
    }

    /// The groups that have key files in the folder, as their names say.
    var groups: Set<GroupUUID> {
        let names = (try? PrivateFolder.open(folder).names()) ?? []
        return Set(names.compactMap { GroupUUID(String($0.prefix(36))) })
    }

    private static func files(of group: GroupUUID, in folder: FilePath) throws(StorageError) -> [KeyFile] {
        let names: [String]
        do throws(StorageError) {
            names = try PrivateFolder.open(folder).names()
        } catch {
            guard error.code == .notFound else { throw error }
            return []
        }
        let text = group.description
        return names.filter { $0 == text || $0.hasPrefix(text + ".") }
            .map { KeyFile(folder: folder, name: $0, isOwn: true) }
    }

    /// The error if there are too many files to try in time.
    package func tooMany(_ count: Int) -> StorageError {
        let detail = "\(count) key files could belong to the group, too many to try in the given time"
        return StorageError(.timeout, path: folder.string, detail: detail)
    }
}
