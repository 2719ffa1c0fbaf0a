// SPDX-License-Identifier: Apache-2.0

// SAFETY: buffers are passed for one call with their byte counts; paths are C strings for the duration of one call.

import Glibc

/// All calls of the C library by cachetool.
public enum Syscalls {
    /// Writes all bytes to a descriptor, or as many as its reader takes before an interruption.
    ///
    /// - Returns: 0, or the error number of the write that failed.
    public static func writeAll(_ bytes: RawSpan, to descriptor: Int32) -> Int32 {
        var offset = 0
        while offset < bytes.byteCount {
            var limit = bytes.byteCount - offset
            // A signal that is only recorded does not end a write that waits for a reader. A writable pipe takes at least
            // PIPE_BUF bytes without waiting.
            if Interruption.isRecording {
                guard waitUntilWritable(descriptor) else { return EINTR }
                limit = min(limit, Int(PIPE_BUF))
            }
            let written = unsafe bytes.withUnsafeBytes { buffer in
                unsafe write(descriptor, buffer.baseAddress?.advanced(by: offset), limit)
            }
            if written >= 0 {
                offset += written
            } else if errno == EAGAIN {
                guard waitUntilWritable(descriptor) else { return EINTR }
            } else if errno != EINTR {
                return errno
            }
        }
        return 0
    }

    /// Opens a file for reading, and waits for the writer of a FIFO.
    ///
    /// - Returns: the descriptor, or the negated error number.
    public static func openForReading(_ path: String) -> Int32 {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        return descriptor >= 0 ? descriptor : -errno
    }

    /// Whether a path leads to a regular file.
    public static func isRegularFile(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Whether a file may be there that this user cannot open.
    public static func isUnreadable(_ path: String) -> Bool {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor < 0 else {
            close(descriptor)
            return false
        }
        // A socket cannot be opened.
        return ![ENOENT, ENOTDIR, ENXIO].contains(errno)
    }

    /// Whether a file of any kind exists at a path.
    public static func exists(_ path: String) -> Bool {
        unsafe faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0
    }

    /// Whether the first non-blank byte of a file is one of the given brackets. False unless it is a regular file.
    public static func beginsWithBracket(_ path: String, _ brackets: String = "{[") -> Bool {
        let first = beginning(of: path)?.first { $0 != 0x20 && !(0x09...0x0D).contains($0) }
        return first.map(brackets.utf8.contains) ?? false
    }

    /// The first 64 bytes of a regular file; nil if it cannot be read.
    private static func beginning(of path: String) -> ArraySlice<UInt8>? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
        return count >= 0 ? bytes.prefix(count) : nil
    }

    /// The permissions of a regular file, such as 0o644, if users other than its owner have any.
    public static func permissionsOfOthers(_ path: String) -> UInt32? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? permissionsOfOthers(status) : nil
    }

    /// The same for an open file.
    public static func permissionsOfOthers(descriptor: Int32) -> UInt32? {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 ? permissionsOfOthers(status) : nil
    }

    private static func permissionsOfOthers(_ status: stat) -> UInt32? {
        guard status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 != 0 else { return nil }
        return status.st_mode & 0o777
    }

    /// Whether a regular file of less than 64 bytes contains only white space.
    public static func isBlank(_ path: String) -> Bool {
        guard let bytes = beginning(of: path), bytes.count < 64 else { return false }
        return bytes.allSatisfy { $0 == 0x20 || (0x09...0x0D).contains($0) }
    }

    /// Whether a descriptor is a terminal.
    public static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// The width of the terminal behind a descriptor in columns, if it is known.
    public static func terminalColumns(_ descriptor: Int32) -> Int? {
        var size = winsize()
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// The value of an environment variable; empty counts as missing.
    public static func environment(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }

    /// Whole seconds since 1970 by the system's clock.
    public static func secondsSince1970() -> Int64 { Int64(time(nil)) }

    /// The message for a system error.
    public static func message(for number: Int32) -> String {
        guard let text = unsafe strerror(number) else { return "error \(number)" }
        return unsafe String(cString: text)
    }

    /// Makes writing to a closed pipe, and beyond the maximum file size, ordinary errors of `write` instead of signals
    /// that kill the program in the middle of a transaction.
    public static func ignoreSignalsOfWrites() {
        _ = signal(SIGPIPE, SIG_IGN)
        _ = signal(SIGXFSZ, SIG_IGN)
    }

    /// Whether a write failed because the reader closed the pipe.
    public static func isBrokenPipe(_ number: Int32) -> Bool { number == EPIPE }

    /// Returns when the reader of a descriptor closes it; never returns for a file.
    public static func waitUntilUnread(_ descriptor: Int32) {
        var entry = pollfd(fd: descriptor, events: 0, revents: 0)
        while unsafe poll(&entry, 1, -1) < 0, errno == EINTR {}
    }

    /// Ends the program.
    public static func exitNow(_ status: Int32) -> Never { exit(status) }

    // MARK: - Other programs

    /// The folder that contains this program.
    public static var folderOfProgram: String? {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe buffer.withUnsafeMutableBytes { bytes in
            guard let start = bytes.baseAddress else { return 0 }
            return unsafe readlink("/proc/self/exe", start, bytes.count)
        }
        // Where /proc is missing, the path of the call has to do.
        let path =
            count > 0 && count < buffer.count ? buffer[..<count] : ArraySlice((CommandArguments.programPath ?? "").utf8)
        guard let slash = path.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        return String(decoding: path[..<slash], as: UTF8.self)
    }

    /// The folders in PATH, without relative ones.
    public static var absoluteSearchPath: [String] {
        (environment("PATH") ?? "").split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
    }

    /// Whether a path leads to a regular file that may be executed.
    public static func isExecutable(_ path: String) -> Bool {
        guard isRegularFile(path) else { return false }
        return unsafe access(path, X_OK) == 0
    }

    /// Replaces this program with another one, found on PATH unless its name contains a slash. Signals that this
    /// program ignores have their default effect in the other one.
    ///
    /// - Returns: the error number if the other program cannot be started.
    public static func execute(_ program: String, _ arguments: [String]) -> Int32 {
        _ = signal(SIGPIPE, SIG_DFL)
        _ = signal(SIGXFSZ, SIG_DFL)
        var pointers = unsafe arguments.map { unsafe strdup($0) }
        unsafe pointers.append(nil)
        _ = unsafe execvp(program, pointers)
        let problem = errno
        for index in unsafe pointers.indices { unsafe free(pointers[index]) }
        ignoreSignalsOfWrites()
        return problem
    }

    /// - Returns: false if the program was interrupted, and the reader takes nothing.
    private static func waitUntilWritable(_ descriptor: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        // The signal may arrive just before the wait.
        while unsafe poll(&entry, 1, 200) <= 0 {
            if Interruption.isWanted { return false }
        }
        return true
    }
}
