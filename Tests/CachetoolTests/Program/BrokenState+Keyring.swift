// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import Testing

extension BrokenState {
    static let byKeyring: [BrokenState] = [
        BrokenState(
            testDescription: "a keyring that does not answer",
            topic: "keyring",
            cause: "is stopped (state T)",
            fix: "kill -CONT",
            make: { try $0.keyring?.freeze() }
        ),
        BrokenState(
            testDescription: "a locked keyring",
            topic: "keyring",
            cause: "is locked: collection login",
            fix: "cachetool unlock --group contoso",
            make: { try $0.keyring?.lock() },
            person: { group, _ in
                // Without a display the command says what to type.
                let said = try group.run("unlock").messages
                #expect(said.contains("gnome-keyring-daemon --replace --unlock"), "\(said)")
                try group.keyring?.killDaemon()
                try group.keyring?.startDaemon()
            }
        ),
        BrokenState(
            testDescription: "a session without a keyring",
            topic: "keyring",
            cause: "offers the Secret Service",
            fix: "Start a keyring in this session",
            make: { try $0.keyring?.killDaemon() },
            person: { group, _ in try group.keyring?.startDaemon() }
        ),
        BrokenState(
            testDescription: "no session bus",
            topic: "keyring",
            cause: "there is no session bus",
            fix: "set DBUS_SESSION_BUS_ADDRESS",
            make: { $0.environment["DBUS_SESSION_BUS_ADDRESS"] = nil },
            person: { group, _ in group.environment["DBUS_SESSION_BUS_ADDRESS"] = group.keyring?.address }
        ),
        BrokenState(
            testDescription: "half a migration",
            topic: "store",
            cause: "may still contain records of the group",
            fix: "cachetool migrate --group contoso --to keyring",
            make: killMigration
        ),
    ]

    /// Kills a migration to the file as soon as it has noted where it copies to.
    private static func killMigration(_ group: DoctoredGroup) throws {
        for _ in 0..<40 {
            let migration = try Program.cachetool.start(
                ["migrate", "--to", "file"] + group.options,
                environment: group.environment
            )
            while migration.isRunning {
                migration.stop()
                let state = try? String(contentsOfFile: group.folder + "/store", encoding: .utf8)
                if state?.contains("moving-to ") == true {
                    migration.kill()
                    try migration.finish()
                    return
                }
                migration.resume()
                usleep(200)
            }
            try migration.finish()
            _ = try group.run("migrate", "--to", "keyring")
        }
        throw Unfit(reason: "the migration was always done before it could be killed")
    }
}
