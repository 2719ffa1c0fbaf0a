internal import GroupDirectory
internal import RecordStorage
internal import SecretServiceStorage

/// How a group gets at the person's keyring. Nothing is loaded, and no bus is looked for, before it is used.
struct KeyringAccess: Sendable {
    let group: GroupName
    /// The address of the session bus; `nil` where there is none.
    let busAddress: String?
    /// How long the keyring has where it asks nobody.
    let timeout: Duration
    let prompts: KeyringPrompts

    /// The moment by which a use that begins now gives up.
    var deadline: Deadline { .after(max(timeout, prompts.longestWait ?? timeout)) }

    var policy: PromptPolicy { prompts.longestWait == nil ? .never : .allowed }

    /// - Throws: ``StorageError/Code/keyringMissing`` where there is no session bus.
    func place(_ collection: String?) throws(StorageError) -> SecretServicePlace {
        guard let busAddress else { throw StorageError(SecretServiceError(.busMissing)) }
        return SecretServicePlace(busAddress: busAddress, collection: collection)
    }

    /// Runs `body` with the items that open key slots of the group.
    func withSlots<Result>(
        _ collection: String?,
        _ body: (KeyringSlots) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        let slots = try KeyringSlots(group, place(collection))
        defer { slots.close() }
        return try body(slots)
    }
}
