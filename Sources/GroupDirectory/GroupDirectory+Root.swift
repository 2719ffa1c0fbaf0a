// SPDX-License-Identifier: Apache-2.0

package import RecordStorage
package import SystemPackage

extension GroupDirectory {
    /// The default root folder: `$XDG_DATA_HOME/swift-token-cache`, or `~/.local/share/swift-token-cache` if that
    /// variable is not an absolute path.
    ///
    /// - Parameter environment: the environment variables of the process.
    /// - Returns: an absolute path, which need not exist yet.
    /// - Throws: ``StorageError/Code/homeMissing`` if the home folder is unknown.
    package static func defaultRoot(environment: [String: String]) throws(StorageError) -> FilePath {
        let folder = "swift-token-cache"
        // The XDG Base Directory Specification requires ignoring a relative path.
        if let data = environment["XDG_DATA_HOME"], data.utf8.first == UInt8(ascii: "/") {
            return FilePath(data).appending(folder)
        }
        guard let home = environment["HOME"], home.utf8.first == UInt8(ascii: "/") else {
            throw StorageError(
                .homeMissing,
                detail: "groups are kept below XDG_DATA_HOME or HOME, and neither is an absolute path in UTF-8"
            )
        }
        return FilePath(home).appending([".local", "share", folder].map { FilePath.Component($0) ?? "." })
    }

    /// The groups below `root`, sorted by name; empty if that folder does not exist.
    ///
    /// Every folder with a valid group name counts as a group. The method opens and checks none of them.
    package static func list(root: FilePath) throws(StorageError) -> [GroupName] {
        var walk = FolderWalk(creates: false, isToRoot: true)
        let folder: FolderHandle
        do throws(StorageError) {
            folder = try walk.open(root)
        } catch {
            if error.code == .notFound { return [] }
            throw error
        }
        let names = try describing("listing the folder", path: folder.path.string) { () throws(Errno) in
            try Syscalls.names(in: folder.descriptor)
        }
        var groups: [GroupName] = []
        for name in names {
            guard let group = try? GroupName(name) else { continue }
            let status = try? Syscalls.status(of: name, in: folder.descriptor)
            if status?.isFolder == true { groups.append(group) }
        }
        return groups.sorted()
    }
}
