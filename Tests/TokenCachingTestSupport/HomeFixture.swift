// SPDX-License-Identifier: Apache-2.0

import Foundation
import GroupDirectory
import RecordStorage
import Sealing

@testable import TokenCaching

/// A home folder of a test with groups at their standard place: the data in one folder, key files in another.
struct HomeFixture {
    let scratch = ScratchFolder()
    var busAddress: String?

    static let data = ".local/share/swift-token-cache"
    static let state = ".local/state/swift-token-cache"

    var environment: [String: String] {
        var environment = ["HOME": scratch.path]
        if let busAddress { environment["DBUS_SESSION_BUS_ADDRESS"] = busAddress }
        return environment
    }

    func opener(
        _ storage: StorageChoice = .automatic,
        access: GroupAccess = .readWrite,
        name: String = "group"
    ) throws -> GroupOpener {
        let location = try GroupLocation(name, root: nil, environment: environment)
        var opener = GroupOpener(location, storage: storage, access: access, timeout: .seconds(20))
        opener.passphraseCost = .minimum
        return opener
    }

    /// Makes a group in the file with one record, and closes it.
    func create(_ storage: StorageChoice = .file(unlockedBy: .keyFile), name: String = "group") throws {
        let group = try opener(storage, access: .create, name: name).open()
        try group.put(1)
        group.store.close()
    }

    /// What opening throws; nil where it does not.
    func refusal(
        _ storage: StorageChoice = .automatic,
        access: GroupAccess = .readWrite,
        name: String = "group"
    ) throws -> TokenCacheError? {
        let opener = try opener(storage, access: access, name: name)
        do throws(StorageError) {
            try opener.open().store.close()
            return nil
        } catch {
            return TokenCacheError(error)
        }
    }

    func path(_ name: String, group: String = "group") -> String { scratch.path("\(Self.data)/\(group)/\(name)") }

    func uuid(_ group: String = "group") throws -> String {
        guard let uuid = try StoreText(path("store", group: group))["group"] else { throw CocoaError(.fileNoSuchFile) }
        return uuid
    }

    /// The names of the files in a folder of the state of the user.
    func stateFiles(_ folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: scratch.path("\(Self.state)/\(folder)"))) ?? []).sorted()
    }

    /// The content of all that must never go: journals and key files.
    var treasures: [String: Data] {
        var found: [String: Data] = [:]
        for name in scratch.files where name.hasSuffix("/journal") || name.contains("/keys/") {
            found[name] = FileManager.default.contents(atPath: scratch.path(name))
        }
        return found
    }
}
