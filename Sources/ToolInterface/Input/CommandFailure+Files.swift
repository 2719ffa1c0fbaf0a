// SPDX-License-Identifier: Apache-2.0

// SAFETY: the path is a C string for the duration of one call.

import Glibc

extension CommandFailure {
    /// Why a path that the user typed leads to no file; nil if it leads to one.
    public static func ofMissingFile(at path: String) -> CommandFailure? {
        guard unsafe faccessat(AT_FDCWD, path, F_OK, 0) != 0 else { return nil }
        let problem = errno
        guard problem == ENOENT || problem == ENOTDIR else { return cannotOpen(path, problem) }
        let isLink = Syscalls.exists(path)
        return CommandFailure(
            .notFound,
            isLink ? "\(path) is a link to a file that is not there." : "There is no file \(path)."
        )
    }

    /// The failure to open a file.
    public static func cannotOpen(_ path: String, _ problem: Int32) -> CommandFailure {
        CommandFailure(
            problem == EACCES || problem == EPERM ? .permission : .failure,
            "\(path) cannot be opened: \(Syscalls.message(for: problem))."
        )
    }
}
