// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import Glibc
package import RecordStorage
package import SystemPackage

/// The contents of a group's folder.
package struct FolderContents: Hashable, Sendable {
    /// The number of files of the group, including those in its quarantine.
    package var fileCount = 0
    /// The size of these files in bytes.
    package var byteCount: UInt64 = 0
    /// The sorted names of everything else, which the library never removes.
    package var others: [String] = []
}

extension GroupDirectory {
    /// The contents of the folder.
    ///
    /// - Parameter isStoreFile: whether stores keep records in files of this name.
    /// - Returns: the number and size of the group's files, and the names of everything else.
    /// - Throws: errors of listing the folder.
    package func contents(isStoreFile: (String) -> Bool) throws(StorageError) -> FolderContents {
        try folder.contents(isStoreFile: isStoreFile)
    }

    /// The names of the files in the folder that belong to a store.
    ///
    /// - Parameter isStoreFile: whether stores keep records in files of this name.
    /// - Returns: the names, sorted.
    /// - Throws: errors of listing the folder.
    package func storeFileNames(isStoreFile: (String) -> Bool) throws(StorageError) -> [String] {
        try describing("listing the folder", path: path.string) { () throws(Errno) in
            try Syscalls.names(in: folder.descriptor)
        }.filter(isStoreFile).sorted()
    }

    /// Whether the folder contains the files that every group has, unlike a folder of this name made by another
    /// program.
    package var hasGroupFiles: Bool {
        [FileName.lock, FileName.leases].allSatisfy { (try? folder.openFile($0, .reading)) != nil }
    }

    /// Renames the folder, durably and atomically, to a name that is no valid group name. Processes then no longer find
    /// the group, and those that have it open fail with ``StorageError/Code/storageMoved``.
    ///
    /// - Returns: the renamed folder, for the caller to remove.
    /// - Throws: ``StorageError/Code/readOnly`` if this user may not rename it, ``StorageError/Code/storageMoved``; in
    ///   either case the folder is unchanged.
    package func retireFolder() throws(StorageError) -> RetiredFolder {
        let parent = try writableParent()
        try location.check()
        let newName = RetiredFolder.randomName(of: name)
        try describing("removing the folder", path: path.string) { () throws(Errno) in
            do throws(Errno) {
                try Syscalls.renameToNew(name.text, to: newName, in: parent.descriptor)
            } catch {
                guard error == .invalidArgument || error == .noFunction else { throw error }
                try Syscalls.rename(name.text, to: newName, in: parent.descriptor)
            }
            try parent.syncNames()
        }
        let retired = try RetiredFolder.open(newName, of: name, in: parent)
        guard try retired.isSameFolder(as: identity) else {
            // Another folder was put at the path between the check and the renaming: undo the renaming.
            try? Syscalls.renameToNew(newName, to: name.text, in: parent.descriptor)
            try location.check()
            throw StorageError(.busy, path: path.string, detail: "the folder was replaced while it was being removed")
        }
        return retired
    }

    /// Whether a lock can be taken, because the lock file passes the checks or is missing.
    package var canLock: Bool {
        do throws(StorageError) {
            _ = try openFile(FileName.lock, .readingAndWriting)
            return true
        } catch {
            return error.code == .notFound
        }
    }

    /// The path of a group's folder, which need not exist. Links in the path of `root` are resolved if it exists.
    package static func path(of name: GroupName, root: FilePath) -> FilePath {
        var walk = FolderWalk(creates: false)
        return ((try? walk.open(root).path) ?? root).appending(name.text)
    }

    /// Checks that the folder can be renamed.
    ///
    /// - Throws: ``StorageError/Code/readOnly``.
    package func checkIsRemovable() throws(StorageError) { _ = try writableParent() }

    private func writableParent() throws(StorageError) -> FolderHandle {
        if let readOnlyReason { throw readOnlyReason }
        var walk = FolderWalk(creates: false)
        let parent = try walk.open(path.removingLastComponent())
        guard Syscalls.isWritable(parent.descriptor) else {
            throw StorageError(
                .readOnly,
                path: parent.path.string,
                detail: "this user may not write in the folder above the group's",
                errno: .permissionDenied
            )
        }
        return parent
    }
}

/// The folder of a removed group, under a name that is no valid group name.
package struct RetiredFolder: Sendable {
    private let group: GroupName
    private let parent: FolderHandle
    private let folder: FolderHandle

    /// Its path.
    package var path: String { folder.path.string }
    /// The path that it had as the folder of the group.
    package var shownPath: String { parent.path(of: group.text) }

    /// The folders left by interrupted removals of a group; empty if the root does not exist.
    package static func all(of name: GroupName, root: FilePath) throws(StorageError) -> [RetiredFolder] {
        let parent: FolderHandle
        do throws(StorageError) {
            var walk = FolderWalk(creates: false)
            parent = try walk.open(root)
        } catch {
            if error.code == .notFound { return [] }
            throw error
        }
        let names = try describing("listing the folder", path: root.string) { () throws(Errno) in
            try Syscalls.names(in: parent.descriptor)
        }
        var found: [RetiredFolder] = []
        for folder in names.sorted() where isName(folder, of: name) {
            found.append(try open(folder, of: name, in: parent))
        }
        return found
    }

    static func open(_ name: String, of group: GroupName, in parent: FolderHandle) throws(StorageError) -> RetiredFolder
    {
        RetiredFolder(group: group, parent: parent, folder: try parent.openOwnFolder(name))
    }

    /// The folder as that of its group, to read what it contains.
    package func directory(of name: GroupName) throws(StorageError) -> GroupDirectory {
        try GroupDirectory(retired: folder, name: name)
    }

    /// Gives the folder its name back, unless another folder has it now. For a folder that has to stay because of what
    /// others have put in it.
    package func restoreName() {
        try? Syscalls.renameToNew(folder.name, to: group.text, in: parent.descriptor)
        try? parent.syncNames()
    }

    func isSameFolder(as identity: FileIdentity) throws(StorageError) -> Bool {
        try describing("checking the folder", path: path) { () throws(Errno) in
            try Syscalls.status(folder.descriptor).identity.isSameFile(as: identity)
        }
    }

    /// The contents of the folder.
    package func contents(isStoreFile: (String) -> Bool) throws(StorageError) -> FolderContents {
        try folder.contents(isStoreFile: isStoreFile)
    }

    /// Removes the files of the group and then the folder.
    ///
    /// - Parameters:
    ///   - isStoreFile: whether stores keep records in files of this name.
    ///   - erase: overwrites such a file before its removal.
    /// - Throws: the error of the first file that cannot be removed, after removing the others.
    package func remove(isStoreFile: (String) -> Bool, erasing erase: (CheckedFile) -> Void) throws(StorageError) {
        // A process that had just opened the group may add a file before it learns that the folder was retired.
        var attemptsLeft = 8
        repeat {
            attemptsLeft -= 1
            try folder.removeFiles(isStoreFile: isStoreFile, erasing: erase)
        } while try !removeFolder(throwsIfNotEmpty: attemptsLeft == 0)
    }

    /// - Returns: whether the folder is gone.
    private func removeFolder(throwsIfNotEmpty: Bool) throws(StorageError) -> Bool {
        try describing("removing the folder", path: path) { () throws(Errno) in
            do throws(Errno) {
                try Syscalls.removeFolder(folder.name, in: parent.descriptor)
            } catch .directoryNotEmpty where !throwsIfNotEmpty {
                return false
            } catch .noSuchFileOrDirectory {
                // Another process finished the same removal.
            }
            try parent.syncNames()
            return true
        }
    }

    private static let mark = ".removed-"
    private static let digitCount = 16

    static func randomName(of group: GroupName) -> String {
        ".\(group.text)\(mark)\(Hexadecimal.text(bigEndian: Syscalls.random()))"
    }

    private static func isName(_ text: String, of group: GroupName) -> Bool {
        let start = ".\(group.text)\(mark)"
        let digits = text.dropFirst(start.count)
        return text.hasPrefix(start) && digits.utf8.count == digitCount && Hexadecimal.isDigits(String(digits))
    }
}

extension FolderHandle {
    /// The names of the library's files that do not depend on the kind of store.
    private static let fixedNames: Set<String> = [
        GroupDirectory.FileName.lock, GroupDirectory.FileName.leases, GroupDirectory.FileName.revision,
        GroupDirectory.FileName.state, GroupDirectory.FileName.quarantine,
    ]

    private static func isOwn(_ name: String, _ isStoreFile: (String) -> Bool) -> Bool {
        fixedNames.contains(name) || isStoreFile(name) || TemporaryFile.isName(name)
    }

    fileprivate func contents(isStoreFile: (String) -> Bool) throws(StorageError) -> FolderContents {
        try describing("listing the folder", path: path.string) { () throws(Errno) in
            var contents = FolderContents()
            for name in try Syscalls.names(in: descriptor).sorted() {
                guard Self.isOwn(name, isStoreFile), let status = try Syscalls.status(of: name, in: descriptor) else {
                    contents.others.append(name)
                    continue
                }
                guard status.isFolder else {
                    contents.add(status)
                    continue
                }
                // The only subfolder of a group is the quarantine. Ignore an error of opening it, which its removal
                // reports.
                guard name == GroupDirectory.FileName.quarantine, let quarantine = try? openOwnFolder(name) else {
                    contents.others.append(name)
                    continue
                }
                for file in try Syscalls.names(in: quarantine.descriptor) {
                    guard let status = try Syscalls.status(of: file, in: quarantine.descriptor) else { continue }
                    if status.isFolder { contents.others.append("\(name)/\(file)") } else { contents.add(status) }
                }
            }
            return contents
        }
    }

    /// Removes the files of the group. Removes links themselves and never follows them.
    fileprivate func removeFiles(
        isStoreFile: (String) -> Bool,
        erasing erase: (CheckedFile) -> Void
    ) throws(StorageError) {
        let names = try describing("listing the folder", path: path.string) { () throws(Errno) in
            try Syscalls.names(in: descriptor)
        }
        // Remove the state file last, because it shows that this folder belonged to a group.
        let own = names.filter { Self.isOwn($0, isStoreFile) }
        let state = GroupDirectory.FileName.state
        var failure: StorageError?
        for name in own.filter({ $0 != state }) + own.filter({ $0 == state }) {
            do throws(StorageError) {
                if name == GroupDirectory.FileName.quarantine, try removeQuarantine() { continue }
                if isStoreFile(name) || TemporaryFile.isName(name), let file = try? openFile(name, .readingAndWriting) {
                    erase(file)
                }
                try removeFile(name)
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    /// - Returns: false if the quarantine is not a folder that can be opened.
    private func removeQuarantine() throws(StorageError) -> Bool {
        guard let quarantine = try? openOwnFolder(GroupDirectory.FileName.quarantine) else { return false }
        let names = try describing("listing the quarantine", path: quarantine.path.string) { () throws(Errno) in
            try Syscalls.names(in: quarantine.descriptor)
        }
        var failure: StorageError?
        for name in names {
            do throws(StorageError) { try quarantine.eraseFile(name) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
        try describing("removing the quarantine", path: quarantine.path.string) { () throws(Errno) in
            try Syscalls.removeFolder(GroupDirectory.FileName.quarantine, in: descriptor)
        }
        return true
    }
}

extension FolderContents {
    fileprivate mutating func add(_ status: FileStatus) {
        fileCount += 1
        byteCount += status.identity.size
    }
}
