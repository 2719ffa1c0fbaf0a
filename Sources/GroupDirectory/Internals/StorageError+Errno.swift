// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import RecordStorage
package import SystemPackage

extension StorageError {
    /// The error for a failed system call on a file or folder. `doing` describes the attempt, as in "creating the
    /// file".
    package init(_ errno: Errno, path: String?, doing: String) {
        // The code, an explanation if the code needs one, and advice.
        let (code, hint, advice): (Code, String?, String?) =
            switch errno {
            case .noSuchFileOrDirectory: (.notFound, nil, nil)
            case .fileExists: (.exists, nil, nil)
            case .permissionDenied, .notPermitted:
                (.readOnly, nil, "Check the owner and the mode of it and its folder, or run this as its owner")
            case .readOnlyFileSystem:
                (
                    .readOnly, "the file system is mounted read-only",
                    "Mount it writable to save or remove anything there"
                )
            case .noSpace: (.full, nil, nil)
            case Errno(rawValue: EDQUOT): (.full, "the disk quota of this user is exceeded", nil)
            case .fileTooLarge:
                (.full, "the limit on file sizes of this process is reached", "Raise it with ulimit -f, then try again")
            case .tooManySymbolicLinkLevels: (.unsafeFile, "symbolic links are not followed here", nil)
            case .notDirectory: (.unsafeFile, "it is not a folder", nil)
            case .isDirectory, .noSuchAddressOrDevice: (.unsafeFile, "it is not a regular file", nil)
            case .fileNameTooLong: (.system, nil, "Use a shorter path")
            default: (.system, nil, nil)
            }
        let detail = hint.map { "\(doing) failed: \($0)" } ?? "\(doing) failed"
        self.init(code, path: path, detail: detail, advice: advice, errno: errno)
    }
}

/// Runs `body` and converts its system error to a storage error.
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
