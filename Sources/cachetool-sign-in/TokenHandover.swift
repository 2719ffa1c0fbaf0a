// SPDX-License-Identifier: Apache-2.0

// SAFETY: the calls work on local values that live until they return; the folder is read and closed here.

import Glibc
import TokenCaching
import ToolInterface

/// Replaces this program with a command, and passes it a token that it can read once: from a pipe whose other end is
/// closed, so that the token remains in no memory and no file.
struct TokenHandover {
    /// The environment variable with the number of the descriptor.
    static let variable = "CACHETOOL_TOKEN_FD"

    // F_GETPIPE_SZ and F_SETPIPE_SZ of fcntl(2), which the headers hide from Swift.
    private static let getPipeSize: Int32 = 1_032
    private static let setPipeSize: Int32 = 1_031

    private let command: [String]
    /// Whether the command reads the header of a request, and not only the token.
    private let isHeader: Bool
    /// The descriptors that the command inherits in any case, because they were open when this program started.
    private let inherited: Set<Int32>
    /// The standard descriptors of secrets.
    private let secret: [Int32]

    /// Prepares the handover. Call this before opening any descriptor.
    ///
    /// - Parameters:
    ///   - command: the command and its arguments.
    ///   - isHeader: whether the command reads the header of a request, and not only the token.
    ///   - secrets: descriptors of secrets, which the command must not inherit.
    init(to command: [String], asHeader isHeader: Bool, except secrets: [CallersDescriptor]) {
        self.command = command
        self.isHeader = isHeader
        secret = secrets.map(\.number).filter { $0 <= 2 }
        inherited = Self.openDescriptors().subtracting(secrets.flatMap { [$0.number, $0.duplicate] })
    }

    /// Passes the token on, to a command that takes the place of this program. Ends this program if the command cannot be
    /// started, with the statuses of env(1).
    ///
    /// - Throws: ``CommandFailure`` if the token cannot be passed on.
    func handOver(_ token: AccessToken) throws -> Never {
        // The token alone authorizes nothing if it is bound to a key.
        guard !isHeader || token.tokenType.lowercased() == "bearer" else {
            let type = VisibleText.escaped(token.tokenType)
            throw CommandFailure(.failure, "The token is of type \(type), and --header is for Bearer tokens.")
        }
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw failure(errno) }
        defer { for end in ends { close(end) } }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let problem = try token.withSecret { (secret) throws -> Int32 in
            let (name, end): ([UInt8], [UInt8]) = isHeader ? (Array("Authorization: Bearer ".utf8), [0x0A]) : ([], [])
            // The command starts to read after everything was written, so that must fit into the pipe.
            let count = name.count + secret.byteCount + end.count
            let size = fcntl(ends[1], Self.getPipeSize)
            if size < count, fcntl(ends[1], Self.setPipeSize, Int32(count)) < 0 { return errno }
            var problem = unsafe Syscalls.writeAll(name.span.bytes, to: ends[1])
            if problem == 0 { problem = Syscalls.writeAll(secret, to: ends[1]) }
            return problem == 0 ? unsafe Syscalls.writeAll(end.span.bytes, to: ends[1]) : problem
        }
        guard problem == 0 else { throw failure(problem) }
        for descriptor in Self.openDescriptors() where descriptor > 2 && !inherited.contains(descriptor) {
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        }
        // Use the lowest free number, because POSIX shells redirect only single digits. This closes any descriptor of
        // this program there.
        let free = (3...).first { !inherited.contains($0) } ?? ends[0]
        guard dup2(ends[0], free) >= 0 else { throw failure(errno) }
        if free == ends[0] { _ = fcntl(free, F_SETFD, 0) }
        // The file of a secret can be read again, from its beginning.
        if !secret.isEmpty {
            let null = unsafe open("/dev/null", O_RDWR | O_CLOEXEC)
            for descriptor in secret where dup2(null, descriptor) < 0 { throw failure(errno) }
        }
        // Where the caller closed these, the command inherits /dev/null, and not the token.
        for descriptor: Int32 in 0...2 { _ = fcntl(descriptor, F_SETFD, 0) }
        _ = unsafe setenv(Self.variable, "\(free)", 1)
        let error = Syscalls.execute(command[0], command)
        ErrorReporter.end(failure(error).message, exitCode: error == ENOENT ? 127 : 126)
    }

    private func failure(_ number: Int32) -> CommandFailure {
        CommandFailure(.failure, "\(command[0]) cannot be started: \(Syscalls.message(for: number)).")
    }

    private static func openDescriptors() -> Set<Int32> {
        guard let folder = unsafe opendir("/proc/self/fd") else {
            return Set((0..<1_024).filter { fcntl($0, F_GETFD) >= 0 })
        }
        defer { unsafe closedir(folder) }
        var found: Set<Int32> = []
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if let number = Int32(name) { found.insert(number) }
        }
        // The folder's own descriptor is closed on return.
        found.remove(unsafe dirfd(folder))
        return found
    }
}
