// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Listens to a session bus: what is asked of the keyring on it, by whomever.
package final class BusMonitor: Sendable {
    private let keyring: PrivateKeyring
    private let monitor: RunningProgram
    private let markCount = Mutex(0)

    package init(_ keyring: PrivateKeyring) throws {
        self.keyring = keyring
        monitor = try Program(path: "/usr/bin/dbus-monitor")
            .start(["--address", keyring.address, "--profile", "type='method_call'"])
        // It listens as soon as it hears us.
        try mark()
    }

    deinit {
        monitor.kill()
        _ = try? monitor.finish()
    }

    /// The methods of the service that were called while `body` ran, in their order. Calls of the bus itself are left out.
    package func calls(during body: () throws -> Void) throws -> [String] {
        let start = try mark()
        try body()
        let end = try mark()
        return monitor.linesSoFar[start..<end].compactMap(Self.method)
    }

    /// Waits until the service is asked something, after a ``mark()``.
    package func waitForCall(after mark: Int) throws {
        try waitUntil("the keyring is asked something") {
            monitor.linesSoFar[mark...].contains { Self.method($0) != nil }
        }
    }

    /// The method of the service that a line says was called.
    private static func method(_ line: String) -> String? {
        // Kind, time, serial, sender, destination, path, interface, method.
        let fields = line.split(separator: "\t")
        guard fields.count == 8, fields[0] == "mc", fields[4] != "org.freedesktop.DBus" else { return nil }
        return fields[5].hasPrefix("/org/freedesktop/secrets") ? String(fields[7]) : nil
    }

    /// Says something on the bus, waits until it was heard, and gives the number of lines before whatever comes next.
    @discardableResult
    package func mark() throws -> Int {
        let number = markCount.withLock { count in
            count += 1
            return count
        }
        for _ in 0..<200 {
            let path = "/mark/\(ProcessInfo.processInfo.processIdentifier)/m\(number)"
            let say = "gdbus call --session -d org.freedesktop.DBus -o \(path) -m org.freedesktop.DBus.GetId"
            _ = try? keyring.run(say)
            for _ in 0..<20 {
                if let index = monitor.linesSoFar.lastIndex(where: { $0.contains(path + "\t") }) { return index + 1 }
                usleep(5_000)
            }
        }
        throw Unfit(reason: "dbus-monitor says nothing")
    }
}
