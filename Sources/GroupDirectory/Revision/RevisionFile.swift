// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import RecordStorage
internal import SystemPackage

/// Opens or creates the file behind the page.
enum RevisionFile {
    private static let name = GroupDirectory.FileName.revision

    /// A file that can be mapped, or `nil` if none exists and none can be created.
    ///
    /// Throws if the existing file is unsafe.
    static func open(in folder: FolderHandle, isWritable: Bool) throws(StorageError) -> CheckedFile? {
        guard isWritable else { return try existing(in: folder, isWritable: false).file }
        for _ in 0..<4 {
            let found = try existing(in: folder, isWritable: true)
            if let file = found.file { return file }
            guard found.mayMake else { return nil }
            make(in: folder, replacing: found.isReplaceable)
        }
        return nil
    }

    private struct Finding {
        var file: CheckedFile?
        /// Whether the file exists and belongs to this user, but is not a page or has a version that is no longer used.
        var isReplaceable = false
        /// Whether a new page may be created: not if the page has a newer version or the file cannot be opened.
        var mayMake = false
    }

    private static func existing(in folder: FolderHandle, isWritable: Bool) throws(StorageError) -> Finding {
        let file: CheckedFile
        do throws(StorageError) {
            file = try folder.openFile(name, isWritable ? .readingAndWriting : .reading)
        } catch {
            if error.code == .unsafeFile || error.code == .unsafePermissions { throw error }
            return Finding(mayMake: error.code == .notFound)
        }
        guard file.identity.size >= UInt64(RevisionLayout.pageSize),
            let head = try? Syscalls.read(file.descriptor, at: 0, count: 16), head.count == 16,
            Array(head[..<8]) == RevisionLayout.magic
        else { return Finding(isReplaceable: true, mayMake: true) }
        let version = head[8..<12].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        switch version {
        case RevisionLayout.version: return Finding(file: file)
        case RevisionLayout.replacedVersion: return Finding(isReplaceable: true, mayMake: true)
        default: return Finding()
        }
    }

    /// Installs a new page, but keeps one that another process installed first.
    private static func make(in folder: FolderHandle, replacing: Bool) {
        guard let temporary = try? TemporaryFile(in: folder) else { return }
        guard (try? Syscalls.write(temporary.descriptor, at: 0, newPage())) != nil else { return }
        do throws(Errno) {
            if replacing {
                try Syscalls.rename(temporary.name, to: name, in: folder.descriptor)
            } else {
                do throws(Errno) {
                    try Syscalls.renameToNew(temporary.name, to: name, in: folder.descriptor)
                } catch {
                    if error == .fileExists { return }
                    // Not every file system can rename without replacing. There the last process wins, and the others
                    // map its page later.
                    try Syscalls.rename(temporary.name, to: name, in: folder.descriptor)
                }
            }
            temporary.wasInstalled()
        } catch {
            // The caller checks again, and proceeds without a page if necessary.
        }
    }

    private static func newPage() -> [UInt8] {
        var page = [UInt8](repeating: 0, count: RevisionLayout.pageSize)
        page.replaceSubrange(0..<8, with: RevisionLayout.magic)
        for index in 0..<4 {
            let byte = RevisionLayout.version >> (index * 8)
            page[RevisionLayout.versionOffset + index] = UInt8(truncatingIfNeeded: byte)
        }
        // Start with a random value, so that a recreated page differs from the one that readers saw.
        let word = Syscalls.random()
        for index in 0..<8 {
            page[RevisionLayout.wordOffset + index] = UInt8(truncatingIfNeeded: word >> (index * 8))
        }
        return page
    }
}
