// SPDX-License-Identifier: Apache-2.0

internal import GroupDirectory
package import RecordStorage
package import SecretServiceStorage

/// A group's access to the user's keyring. Until it is used, no library is loaded and no bus is contacted.
package struct KeyringAccess: Sendable {
    let group: GroupName
    /// The address of the session bus; `nil` if there is none.
    let busAddress: String?
    let prompts: KeyringPrompts

    /// When an operation on the keyring that begins now must give up, in a call with this deadline: later if the user
    /// may be prompted, to give them time.
    package func end(_ deadline: Deadline) -> Deadline {
        guard let longestWait = prompts.longestWait else { return deadline }
        return max(deadline, .after(longestWait))
    }

    package var policy: PromptPolicy { prompts.longestWait == nil ? .never : .allowed }

    /// - Throws: ``StorageError/Code/keyringMissing`` if there is no session bus.
    package func location(_ collection: String?) throws(StorageError) -> SecretServiceLocation {
        guard let busAddress else { throw StorageError(SecretServiceError(.busMissing)) }
        return SecretServiceLocation(busAddress: busAddress, collection: collection)
    }

    /// Runs `body` with the items that open key slots of the group.
    package func withSlots<Result>(
        _ collection: String?,
        _ body: (KeyringSlots) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        let slots = try KeyringSlots(group, location(collection))
        defer { slots.close() }
        return try body(slots)
    }
}
