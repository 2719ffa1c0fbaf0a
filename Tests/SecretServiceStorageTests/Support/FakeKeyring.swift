// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs

/// A service in memory with a quirk, on a bus of its own. A quirk named "later-…" is in force between `begin` and `end`.
final class FakeKeyring: Sendable {
    let keyring: PrivateKeyring
    private let quirk: String

    init(_ quirk: String) throws {
        keyring = try PrivateKeyring()
        self.quirk = quirk
        try keyring.killDaemon()
        try start()
    }

    private var logPath: String { keyring.folder.appendingPathComponent("fake.log").path }

    /// The methods that it was asked for, line by line.
    var log: String { get throws { try String(contentsOfFile: logPath, encoding: .utf8) } }

    private func start() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let script = folder.appendingPathComponent("Fake/fake_secret_service.py").path
        try Data().write(to: URL(fileURLWithPath: logPath))
        try keyring.run(
            """
            /usr/bin/python3 '\(script)' \(quirk) '\(logPath)' & echo $! >"$KEYRING_FOLDER/daemon.pid"; \
            gdbus wait --session --timeout 30 org.freedesktop.secrets
            """
        )
    }

    /// Puts another one in its place, which has nothing of what the first one had.
    func replace() throws {
        try keyring.killDaemon()
        try start()
    }

    func begin() throws {
        try Data().write(to: URL(fileURLWithPath: logPath + ".on"))
    }

    /// Ends the quirk, and lets a service that stands still go on.
    func end() throws {
        try FileManager.default.removeItem(atPath: logPath + ".on")
        try keyring.thaw()
    }
}
