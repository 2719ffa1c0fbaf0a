// SPDX-License-Identifier: Apache-2.0

import Foundation
import GroupDirectory
import Programs
import RecordStorage
import Sealing

@testable import SecretServiceStorage
@testable import TokenCaching

/// A root of a test, and a keyring of its own beside it.
struct KeyringFixture {
    let keyring: PrivateKeyring
    let scratch = ScratchFolder()

    init(_ daemon: String = "gnome-keyring") throws {
        keyring = try PrivateKeyring(daemon)
    }

    func opener(
        _ storage: StorageChoice = .automatic,
        access: GroupAccess = .readWrite,
        prompts: KeyringPrompts = .never,
        timeout: Duration = .seconds(30)
    ) throws -> GroupOpener {
        let environment = ["DBUS_SESSION_BUS_ADDRESS": keyring.address]
        let location = try GroupLocation("group", root: scratch.path, environment: environment)
        var opener = GroupOpener(location, storage: storage, access: access, timeout: timeout, prompts: prompts)
        opener.passphraseCost = .minimum
        return opener
    }

    @discardableResult
    func create(_ storage: StorageChoice = .automatic) throws -> OpenedGroup {
        try opener(storage, access: .create).open()
    }

    @discardableResult
    func open(_ storage: StorageChoice = .automatic, access: GroupAccess = .readWrite) throws -> OpenedGroup {
        try opener(storage, access: access).open()
    }

    /// The code of what opening throws, and how long it took; no code where it does not throw.
    func refusal(
        _ storage: StorageChoice = .automatic,
        access: GroupAccess = .readWrite,
        prompts: KeyringPrompts = .never,
        timeout: Duration = .seconds(30)
    ) throws -> (code: StorageError.Code?, time: Duration) {
        let opener = try opener(storage, access: access, prompts: prompts, timeout: timeout)
        let start = SuspendingClock.now
        do throws(StorageError) {
            _ = try opener.open()
            return (nil, SuspendingClock.now - start)
        } catch {
            return (error.code, SuspendingClock.now - start)
        }
    }

    var state: StoreState? {
        get throws { try directory().readState() }
    }

    func directory() throws -> GroupDirectory {
        let location = try GroupLocation("group", root: scratch.path, environment: [:])
        return try GroupDirectory.open(root: location.root, name: location.name, access: .readWrite)
    }

    /// Does something with the items of the group that have this role.
    func withItems<Result: Sendable>(
        _ role: KeyringAttributes.Role,
        _ body: @escaping @Sendable (KeyringCalls, [KeyringItem]) throws(SecretServiceError) -> Result
    ) throws -> Result {
        let client = SecretServiceClient(SecretServiceLocation(busAddress: keyring.address))
        defer { client.close() }
        let attributes = try KeyringAttributes(GroupName("group")).some(role)
        return try client.run(until: .after(.seconds(20))) { calls throws(SecretServiceError) in
            try body(calls, calls.search(attributes))
        }
    }

    func itemCount(_ role: KeyringAttributes.Role) throws -> Int {
        try withItems(role) { _, items in items.count }
    }
}
