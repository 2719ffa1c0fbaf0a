// SPDX-License-Identifier: Apache-2.0

import CacheAdministration
import Glibc
import RecordStorage
import TokenCaching

/// Does something to a whole group, with the keyring of the session, and dies at one of its steps.
enum DyingGroup {
    /// "migrates" takes a group to "keyring", "file" (with a key file) or "file-with-keyring"; "creates" makes one in such a
    /// store. With a step that there is not, it comes to the end.
    static func run(_ verb: String, _ root: String, _ group: String, _ store: String, dyingAt step: String) throws {
        let storage: StorageChoice =
            switch store {
            case "keyring": .keyring
            case "file-with-keyring": .file(unlockedBy: .keyring)
            default: .file(unlockedBy: .keyFile)
            }
        if verb == "migrates" {
            let reference = GroupReference(group, root: root, timeout: .seconds(20))
            _ = try reference.migrate(to: storage, onStep: { reach($0, step) })
            return
        }
        let location = try GroupLocation(group, root: root, environment: ["DBUS_SESSION_BUS_ADDRESS": address])
        var opener = GroupOpener(location, storage: storage, access: .create, timeout: .seconds(20))
        opener.onStep = { reach($0, step) }
        _ = try opener.open()
    }

    private static var address: String { unsafe String(cString: getenv("DBUS_SESSION_BUS_ADDRESS")) }

    private static func reach(_ now: some Any, _ step: String) -> StorageError? {
        if "\(now)" == step { kill(getpid(), SIGKILL) }
        return nil
    }
}
