// SPDX-License-Identifier: Apache-2.0

import Foundation
import GroupDirectory
import RecordStorage
import Sealing
import SecretServiceStorage
import SystemPackage

/// A group in a keyring, with a folder of its own that goes with the value.
final class ScratchGroup: Sendable {
    let root: FilePath
    let name: GroupName
    let keys: GroupKeys
    let location: SecretServiceLocation
    let limits: SecretServiceLimits

    init(_ location: SecretServiceLocation, limits: SecretServiceLimits = .standard) throws {
        root = FilePath(NSTemporaryDirectory()).appending("stc-keyring-\(UUID().uuidString)")
        name = try GroupName("group-\(UUID().uuidString)")
        keys = try .generate()
        self.location = location
        self.limits = limits
        try FileManager.default.createDirectory(atPath: root.string, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: root.string)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: root.string)
    }

    func directory(_ access: DirectoryAccess = .create) throws -> GroupDirectory {
        try GroupDirectory.open(root: root, name: name, access: access)
    }

    func create(until deadline: Deadline = .after(.seconds(30))) throws -> SecretServiceStore {
        try SecretServiceStore.create(
            in: directory(),
            location,
            keys: keys,
            reason: "a test",
            until: deadline,
            limits: limits,
            resealing: Records.resealing
        )
    }

    func open(
        _ access: DirectoryAccess = .readWrite,
        until deadline: Deadline = .after(.seconds(30)),
        prompts: PromptPolicy = .never,
        learn: @escaping @Sendable (GroupKeys) throws(StorageError) -> Void = { _ in }
    ) throws -> SecretServiceStore {
        try SecretServiceStore.open(
            in: directory(access),
            location,
            until: deadline,
            prompts: prompts,
            limits: limits,
            resealing: Records.resealing,
            learn: learn
        )
    }
}
