// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs

/// A session bus that starts a keyring for whoever asks for one, which never comes up.
final class StallingBus {
    let address: String
    private let folder: ScratchRoot
    private let daemon: RunningProgram

    init() throws {
        folder = try ScratchRoot()
        let service = "[D-BUS Service]\nName=org.freedesktop.secrets\nExec=/bin/sleep 60\n"
        try service.write(toFile: folder.path + "/secrets.service", atomically: true, encoding: .utf8)
        let bus = """
            <busconfig><type>session</type><listen>unix:path=\(folder.path)/bus</listen><auth>EXTERNAL</auth>
            <servicedir>\(folder.path)</servicedir>
            <policy context="default"><allow send_destination="*"/><allow eavesdrop="true"/><allow own="*"/></policy>
            </busconfig>
            """
        try bus.write(toFile: folder.path + "/bus.conf", atomically: true, encoding: .utf8)
        daemon = try Program(path: "/usr/bin/dbus-daemon")
            .start(["--config-file=\(folder.path)/bus.conf", "--nofork", "--print-address=1"])
        _ = daemon.waitForLines(1)
        address = "unix:path=\(folder.path)/bus"
    }

    deinit {
        daemon.kill()
        _ = try? daemon.finish()
    }

    /// A service that is there, until it is ended.
    func startService() throws -> Service {
        let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let script = project.appendingPathComponent("Fake/fake_secret_service.py").path
        let program = try Program(path: "/usr/bin/python3")
            .start(
                [script, "none", folder.path + "/log"],
                environment: ["DBUS_SESSION_BUS_ADDRESS": address, "PATH": "/usr/bin:/bin"]
            )
        // It asks for its name before it listens to anybody: who waits for the name finds it.
        let wait = try Program(path: "/usr/bin/gdbus")
            .run(
                ["wait", "--session", "--timeout", "30", "org.freedesktop.secrets"],
                environment: ["DBUS_SESSION_BUS_ADDRESS": address]
            )
        guard wait.exitCode == 0 else { throw Unfit(reason: "the service did not start") }
        return Service(program: program)
    }

    struct Service {
        let program: RunningProgram

        func end() throws {
            program.kill()
            try program.finish()
        }
    }
}
