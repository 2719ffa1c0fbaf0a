// SPDX-License-Identifier: Apache-2.0

// SAFETY: the calls work on local values that live until they return; the folder is read and closed here.

import Glibc
import TokenCaching
import ToolInterface

/// Has a command take the place of this program, and gives it a token that it can read once: from a pipe, whose other end is
/// closed, so that no memory and no file is left with it.
struct TokenHandover {
    /// The variable with the number of the descriptor.
    static let variable = "CACHETOOL_TOKEN_FD"

    // F_GETPIPE_SZ and F_SETPIPE_SZ of fcntl(2), which the headers hide from Swift.
    private static let getPipeSize: Int32 = 1_032
    private static let setPipeSize: Int32 = 1_031

    private let command: [String]
    /// What the command has open in any case: it was there when this program started.
    private let inherited: Set<Int32>

    /// Create it before anything else is opened.
    ///
    /// - Parameters:
    ///   - command: the program, and its arguments.
    ///   - secret: a descriptor that the command must not get: that of a passphrase.
    init(to command: [String], except secret: Int32?) {
        self.command = command
        inherited = Self.openDescriptors().filter { $0 != secret }
    }

    /// Does not return if the command was started.
    ///
    /// - Throws: ``CommandFailure`` if it cannot be started.
    func handOver(_ token: AccessToken) throws {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw failure(errno) }
        defer { for end in ends { close(end) } }
        let problem = try token.withSecret { (secret) throws -> Int32 in
            // The command reads after everything was written: it has to fit.
            let size = fcntl(ends[1], Self.getPipeSize)
            if size < secret.byteCount, fcntl(ends[1], Self.setPipeSize, Int32(secret.byteCount)) < 0 { return errno }
            return Syscalls.writeAll(secret, to: ends[1])
        }
        guard problem == 0 else { throw failure(problem) }
        for descriptor in Self.openDescriptors() where descriptor > 2 && !inherited.contains(descriptor) {
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        }
        // The lowest that is free: a POSIX shell redirects single digits only. What this program has there closes.
        let free = (3...).first { !inherited.contains($0) } ?? ends[0]
        guard dup2(ends[0], free) >= 0 else { throw failure(errno) }
        if free == ends[0] { _ = fcntl(free, F_SETFD, 0) }
        _ = unsafe setenv(Self.variable, "\(free)", 1)
        throw failure(Syscalls.execute(command[0], command))
    }

    private func failure(_ number: Int32) -> CommandFailure {
        CommandFailure(.failure, "\(command[0]) cannot be started: \(Syscalls.message(for: number)).")
    }

    private static func openDescriptors() -> Set<Int32> {
        guard let folder = unsafe opendir("/proc/self/fd") else { return [] }
        defer { unsafe closedir(folder) }
        var found: Set<Int32> = []
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if let number = Int32(name) { found.insert(number) }
        }
        // The folder itself is closed when this returns.
        found.remove(unsafe dirfd(folder))
        return found
    }
}
