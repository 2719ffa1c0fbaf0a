// SPDX-License-Identifier: Apache-2.0

// SAFETY: paths are C strings and buffers are passed with their sizes, for the duration of one call.

import Glibc

/// A small text file that nobody but the user may change.
enum PrivateText {
    private static let largest = 1 << 20

    /// The text of a file; nil if there is no file.
    ///
    /// - Throws: ``CommandFailure`` if the file cannot be read, if other users may change it, or if it is no such file.
    static func read(at path: String) throws(CommandFailure) -> String? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw .cannotOpen(path, errno)
        }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= largest
        else {
            throw CommandFailure(.failure, "\(path) is not a text file of at most 1 MiB. Move it away.")
        }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw CommandFailure(
                .permission,
                "\(path) belongs to another user, with the id \(status.st_uid).",
                advice: "Move it away, or run cachetool as that user."
            )
        }
        guard status.st_mode & 0o022 == 0 else {
            throw CommandFailure(
                .permission,
                "Other users may change \(path).",
                advice: "Look through it, then run chmod 600 \(AdvisedCommands.shellWord(path))."
            )
        }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size) + 1)
        var count = 0
        while count < bytes.count {
            let result = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe Glibc.read(descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count)
            }
            if result < 0, errno == EINTR { continue }
            guard result >= 0 else { throw .cannotOpen(path, errno) }
            if result == 0 { break }
            count += result
        }
        guard let text = String(validating: bytes[..<count], as: UTF8.self) else {
            throw CommandFailure(.failure, "\(path) is not UTF-8. Correct it, or move it away.")
        }
        return text
    }

    /// Replaces a file, as one step, and one program at a time. Creates its folder.
    ///
    /// - Parameters:
    ///   - path: the path; if it is a link, the file that it leads to is replaced.
    ///   - text: the new text.
    /// - Throws: ``CommandFailure`` if that is impossible, in which case the file is unchanged; errors of `text`.
    static func change(at path: String, to text: () throws(CommandFailure) -> String) throws(CommandFailure) {
        func failure() -> CommandFailure {
            let problem = errno
            return CommandFailure(
                problem == EACCES || problem == EPERM ? .permission : .failure,
                "\(path) cannot be written: \(Syscalls.message(for: problem))."
            )
        }
        let folder = try existingFolder(of: path, failure)
        defer { close(folder) }
        while flock(folder, LOCK_EX) != 0 { if errno != EINTR { throw failure() } }
        let bytes = Array(try text().utf8)
        // A link stays, and leads to the new text.
        let target = CallersPath.absolute(path)
        // The folder is locked, so this is what a program left that was killed.
        let draft = target + ".new"
        _ = unsafe unlink(draft)
        let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure() }
        defer { close(descriptor) }
        let problem = unsafe Syscalls.writeAll(bytes.span.bytes, to: descriptor)
        errno = problem
        guard problem == 0, fsync(descriptor) == 0, unsafe rename(draft, target) == 0 else {
            let error = failure()
            _ = unsafe unlink(draft)
            throw error
        }
        _ = fsync(folder)
    }

    private static func existingFolder(
        of path: String,
        _ failure: () -> CommandFailure
    ) throws(CommandFailure) -> Int32 {
        let parts = path.split(separator: "/").dropLast()
        for count in parts.indices {
            let folder = "/" + parts[...count].joined(separator: "/")
            guard unsafe mkdir(folder, 0o700) == 0 || errno == EEXIST || Syscalls.exists(folder) else {
                throw failure()
            }
        }
        let descriptor = unsafe open("/" + parts.joined(separator: "/"), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure() }
        return descriptor
    }
}
