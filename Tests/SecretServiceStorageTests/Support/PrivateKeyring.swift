import Foundation
import SecretServiceStorage

/// A keyring of its own for a test: `scripts/with-keyring` runs as long as the value lives.
final class PrivateKeyring: Sendable {
    /// The address of its session bus.
    let address: String
    /// Where the daemon keeps its files.
    let folder: URL
    private let input: FileHandle
    private let output: FileHandle
    private let process: Process

    struct Failed: Error {}

    init(_ daemon: String = "gnome-keyring") throws {
        let project = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { path, _ in path.deletingLastPathComponent() }
        // Says where it is, then does what it is told, line by line.
        let shell = """
            printf '%s\\n' "$DBUS_SESSION_BUS_ADDRESS" "$KEYRING_FOLDER"
            while IFS= read -r line; do eval "$line" </dev/null >/dev/null 2>&1; echo $?; done
            """
        let (input, output) = (Pipe(), Pipe())
        process = Process()
        process.executableURL = project.appendingPathComponent("scripts/with-keyring")
        process.arguments = ["--daemon", daemon, "sh", "-c", shell]
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
        process.waitUntilExit()
    }

    /// The default collection of this keyring, or another one.
    func place(collection: String? = nil) -> SecretServicePlace {
        SecretServicePlace(busAddress: address, collection: collection)
    }

    /// Runs a line of shell beside the daemon, and waits for its end.
    func run(_ command: String) throws {
        try input.write(contentsOf: Data((command + "\n").utf8))
        guard try Self.line(output) == "0" else { throw Failed() }
    }

    private static func line(_ output: FileHandle) throws -> String {
        var line = Data()
        while let byte = try output.read(upToCount: 1), !byte.isEmpty {
            if byte[byte.startIndex] == 10 { return String(decoding: line, as: UTF8.self) }
            line += byte
        }
        throw Failed()
    }
}
