// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// A keyring of its own for a test: `scripts/with-keyring` runs as long as the value lives.
package final class PrivateKeyring: Sendable {
    /// The address of its session bus.
    package let address: String
    /// Where the daemon keeps its files.
    package let folder: URL
    static let project = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { path, _ in path.deletingLastPathComponent() }
    private let input: FileHandle
    private let output: FileHandle
    private let process: Process

    /// Why the keyring does not serve the test.
    package enum Failed: Error {
        /// It did not start, or its shell is gone.
        case ended
        /// It says nothing.
        case silent
        /// A line of shell failed.
        case command(String)
    }

    package init(_ daemon: String = "gnome-keyring") throws {
        // Says where it is, then does what it is told, line by line.
        let shell = """
            printf '%s\\n' "$DBUS_SESSION_BUS_ADDRESS" "$KEYRING_FOLDER"
            while IFS= read -r line; do eval "$line" </dev/null >/dev/null 2>&1; echo $?; done
            """
        let (input, output) = (Pipe(), Pipe())
        process = Process()
        // Whoever runs the tests may block signals, and so would the daemons, which are ended by one.
        let unblocked = """
            import os, signal, sys
            signal.pthread_sigmask(signal.SIG_SETMASK, [])
            os.execv(sys.argv[1], sys.argv[1:])
            """
        let script = Self.project.appendingPathComponent("scripts/with-keyring").path
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = ["-c", unblocked, script, "--daemon", daemon, "sh", "-c", shell]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        self.input = input.fileHandleForWriting
        self.output = output.fileHandleForReading
        address = try Self.line(self.output)
        folder = URL(fileURLWithPath: try Self.line(self.output))
    }

    deinit {
        try? input.close()
        try? process.waitUntilExit(within: .seconds(60))
    }

    /// Runs a line of shell beside the daemon, and waits for its end.
    package func run(_ command: String) throws {
        try input.write(contentsOf: Data((command + "\n").utf8))
        guard try Self.line(output) == "0" else { throw Failed.command(command) }
    }

    /// How many items of any of our groups it has, locked or not.
    package func itemCount() throws -> Int {
        let found = try Program(path: "/bin/sh").run(
            [
                "-c",
                """
                gdbus call --session -d org.freedesktop.secrets -o /org/freedesktop/secrets \
                -m org.freedesktop.Secret.Service.SearchItems "{'xdg:schema': 'swift-token-cache'}" \
                | grep -o "/org/freedesktop/secrets/collection/[^']*" | wc -l
                """,
            ],
            environment: ["PATH": "/usr/bin:/bin", "DBUS_SESSION_BUS_ADDRESS": address]
        )
        guard let count = Int(found.text) else { throw Failed.command("gdbus: \(found.messages)") }
        return count
    }

    private static func line(_ output: FileHandle) throws -> String {
        var line = Data()
        let end = ContinuousClock.now + .seconds(120)
        while ContinuousClock.now < end {
            var readiness = pollfd(fd: output.fileDescriptor, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&readiness, 1, 1_000) > 0 else { continue }
            guard let byte = try output.read(upToCount: 1), !byte.isEmpty else { throw Failed.ended }
            if byte[byte.startIndex] == 10 { return String(decoding: line, as: UTF8.self) }
            line += byte
        }
        throw Failed.silent
    }
}
