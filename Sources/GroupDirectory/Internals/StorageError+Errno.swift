// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import RecordStorage
package import SystemPackage

extension StorageError {
    /// The error for a failed system call on a file or folder. `doing` says what was attempted, as in "creating the
    /// file".
    package init(_ errno: Errno, path: String?, doing: String) {
        let (code, hint): (Code, String?) =
            switch errno {
            case .noSuchFileOrDirectory: (.notFound, nil)
            case .fileExists: (.exists, nil)
            case .permissionDenied, .notPermitted:
                (.readOnly, "check the owner and the mode of the file and its folder")
            case .readOnlyFileSystem: (.readOnly, "the file system is mounted read-only")
            case .noSpace: (.full, "free some space on the disk")
            case Errno(rawValue: EDQUOT): (.full, "free some space: the quota of this user is used up")
            case .fileTooLarge: (.full, "the limit on file sizes of this process is reached")
            case .tooManySymbolicLinkLevels: (.unsafeFile, "symbolic links are not followed here; remove it")
            case .notDirectory: (.unsafeFile, "it is not a folder")
            case .isDirectory: (.unsafeFile, "it is not a regular file")
            case .noSuchAddressOrDevice: (.unsafeFile, "it is not a regular file")
            default: (.system, nil)
            }
        let detail = hint.map { "\(doing) failed: \($0)" } ?? "\(doing) failed"
        self.init(code, path: path, detail: detail, errno: errno)
    }
}

/// Runs `body` and turns its system error into a storage error.
@inline(__always)
package func describing<Result>(
    _ doing: @autoclosure () -> String,
    path: @autoclosure () -> String?,
    _ body: () throws(Errno) -> Result
) throws(StorageError) -> Result {
    do throws(Errno) {
        return try body()
    } catch {
        throw StorageError(error, path: path(), doing: doing())
    }
}
