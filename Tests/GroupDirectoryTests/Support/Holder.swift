// SPDX-License-Identifier: Apache-2.0

import Foundation
import GroupDirectory
import Programs
import SystemPackage

/// Another program, in another language, that holds one byte of the lock file as documented.
final class Holder {
    private let process = Process()
    private let input = Pipe()

    /// Starts it and waits until it holds the lock. `nil` where it did not get it.
    init?(_ group: GroupDirectory, byte: Int64, exclusive: Bool = true) throws {
        let script = """
            import fcntl, struct, sys
            file = open(sys.argv[1], "r+b")
            kind = fcntl.F_WRLCK if sys.argv[3] == "1" else fcntl.F_RDLCK
            command = getattr(fcntl, "F_OFD_SETLK", 37)
            try:
                fcntl.fcntl(file, command, struct.pack("hhqqi4x", kind, 0, int(sys.argv[2]), 1, 0))
            except OSError:
                print("refused", flush=True)
                sys.exit(1)
            print("held", flush=True)
            sys.stdin.read()
            """
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "python3", "-c", script, group.path.appending("lock").string, "\(byte)", exclusive ? "1" : "0",
        ]
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let answer = output.fileHandleForReading.availableData
        guard answer.starts(with: Data("held".utf8)) else {
            try process.waitUntilExit(within: .seconds(60))
            return nil
        }
    }

    var processID: Int32 { process.processIdentifier }

    /// Lets it end by itself.
    func release() {
        try? input.fileHandleForWriting.close()
        try? process.waitUntilExit(within: .seconds(60))
    }

    /// Ends it the hard way.
    func kill() {
        _ = Glibc.kill(process.processIdentifier, SIGKILL)
        try? process.waitUntilExit(within: .seconds(60))
    }

    deinit {
        if process.isRunning { process.terminate() }
    }
}
