// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs

/// Runs programs below strace, on a root of their own.
struct TracedProgram {
    /// Whatever changes files, or makes changes durable, or says which file a number stands for.
    private static let calls = [
        "open,openat,openat2,creat,close,dup,dup2,dup3,fcntl",
        "write,writev,pwrite64,pwritev,pwritev2,ftruncate,fallocate",
        "fsync,fdatasync", "link,linkat,unlink,unlinkat,rmdir,rename,renameat,renameat2,mkdir,mkdirat", "exit_group",
    ].joined(separator: ",")

    let group: ScratchGroup

    /// Runs a program on the group, and tells in which order it changed files and made changes durable.
    func trace(
        _ arguments: [String],
        by program: Program = .cachetool
    ) throws -> (finished: FinishedProgram, order: SyncOrder) {
        let (finished, lines) = try Self.lines(of: program, arguments + group.options, environment: group.environment)
        let order = SyncOrder(
            of: lines,
            below: group.root.path,
            startedIn: FileManager.default.currentDirectoryPath
        )
        return (finished, order)
    }

    /// Runs a program, and gives what strace wrote of it.
    static func lines(
        of program: Program = .cachetool,
        _ arguments: [String],
        environment: [String: String]?
    ) throws -> (finished: FinishedProgram, lines: [String]) {
        let log = try ScratchRoot()
        let path = log.path + "/trace"
        let finished = try Program(path: "/usr/bin/strace").run(
            ["-f", "-qq", "-s", "32", "-o", path, "-e", "trace=" + calls, "-e", "signal=none", program.path]
                + arguments,
            environment: environment
        )
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
        guard lines.contains(where: { $0.contains("exit_group(") }) else {
            throw Unfit(reason: "strace saw no end of the program: \(finished.messages)")
        }
        return (finished, lines)
    }
}
