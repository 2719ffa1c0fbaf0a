// SPDX-License-Identifier: Apache-2.0

internal import GroupDirectory
package import GroupRecords
package import RecordStorage
package import Sealing
internal import SecretServiceStorage
internal import Synchronization

/// Unlocks the key slots of a group with the secrets that the caller gave, whenever the store needs slots that it
/// cannot open yet.
///
/// Key files are read and passphrases requested each time, and retained no longer than necessary. Safe to use from any
/// thread.
package final class KeyUnlocker: Sendable {
    private struct State {
        /// The keys that were last unlocked, or put into effect.
        var newestKeys: GroupKeys?
        var refusal: StorageError?
        /// Keys that are being put into effect.
        var pendingKeys: GroupKeys?
        /// How often the user was prompted.
        var questionCount = 0
    }

    private let group: String
    /// The ways to unlock that the caller gave.
    package let materials: [KeyMaterial]
    /// The ways to unlock for which a new group gets slots.
    let creation: [KeyMaterial]
    let ownKeyFiles: OwnKeyFiles
    package let keyringAccess: KeyringAccess
    /// Receives the unlocked keys.
    package let unlockedKeys: UnlockedKeys
    /// The cost of trying the passphrase of a new key slot.
    package let passphraseCost: KDFParameters
    private let state = Mutex(State())

    init(
        group: String,
        materials: [KeyMaterial],
        creation: [KeyMaterial],
        ownKeyFiles: OwnKeyFiles,
        keyringAccess: KeyringAccess,
        unlockedKeys: UnlockedKeys,
        passphraseCost: KDFParameters
    ) {
        self.passphraseCost = passphraseCost
        self.group = group
        self.materials = materials
        self.creation = creation
        self.ownKeyFiles = ownKeyFiles
        self.keyringAccess = keyringAccess
        self.unlockedKeys = unlockedKeys
    }

    /// How often the user has been prompted.
    package var questionCount: Int { state.withLock { $0.questionCount } }

    /// Records that the user is being prompted.
    func noteQuestion() { state.withLock { $0.questionCount += 1 } }

    /// The keys that were last unlocked, or put into effect.
    package var newestKeys: GroupKeys? { state.withLock { $0.newestKeys } }

    /// The last error of the caller's own closure, which is more specific than an error that no key was given. Returned
    /// only once.
    package func takeRefusal() -> StorageError? {
        state.withLock { state in
            defer { state.refusal = nil }
            return state.refusal
        }
    }

    /// The keyring collection that the caller named, if any.
    var collection: String? { creation.collection ?? materials.collection }

    /// Runs `body`, and restarts the time of the call if the user was prompted meanwhile.
    package func restarting<Result>(
        _ time: WaitingTime,
        _ body: () throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        let before = state.withLock { $0.questionCount }
        defer { if state.withLock({ $0.questionCount }) != before { time.restart() } }
        return try body()
    }

    /// The keys in `slots`.
    ///
    /// - Throws: ``StorageError/Code/keyRejected`` if none of the given ways opens a slot,
    ///   ``StorageError/Code/keyMissing`` if none was given or found that could.
    package func unlock(_ slots: KeySlots, until deadline: Deadline) throws(StorageError) -> GroupKeys {
        guard newestKeys.map({ $0.uuid == slots.uuid }) ?? true else { throw Self.otherGroup }
        if let known = try known(slots) { return known }
        var failure: StorageError?
        // Ways that are cheap and need no user come first.
        for material in materials where !material.slotKind.asksUser {
            // If a secret is damaged, another way may open the group nevertheless.
            let also: StorageError.Code? = material.slotKind.secretPlace?.canBeDamaged == true ? .damaged : nil
            let keys = try attempt(&failure, also: also) { () throws(StorageError) in
                try open(slots, with: material, until: deadline)
            }
            if let keys { return try remember(keys) }
        }
        for material in materials where material.slotKind.asksUser {
            let keys = try attempt(&failure) { () throws(StorageError) in
                try open(slots, with: material, until: deadline)
            }
            if let keys { return try remember(keys) }
        }
        throw failure ?? StorageError(.keyMissing, detail: Self.missing(slots))
    }

    /// Retains keys that were unlocked, or created and put into effect.
    @discardableResult
    package func remember(_ keys: GroupKeys) throws(StorageError) -> GroupKeys {
        guard newestKeys.map({ $0.areOfSameGroup(as: keys) }) ?? true else { throw Self.otherGroup }
        try unlockedKeys.add(keys)
        state.withLock { state in
            state.newestKeys = keys
            // Clear it, because one way was rejected but another one opened the group.
            state.refusal = nil
        }
        return keys
    }

    /// Runs `body`, which puts `keys` into effect. A reader that finds their slots meanwhile gets them; if no reader
    /// does, the keys are not retained.
    package func staging(_ keys: GroupKeys, _ body: () throws(StorageError) -> Void) throws(StorageError) {
        state.withLock { $0.pendingKeys = keys }
        defer { state.withLock { $0.pendingKeys = nil } }
        try body()
    }

    /// The keys of `slots` if they are available. Keys are accepted because the block verifies with them.
    private func known(_ slots: KeySlots) throws(StorageError) -> GroupKeys? {
        if let keys = try? unlockedKeys.sealer(epoch: slots.epoch).keys, (try? slots.verify(with: keys)) != nil {
            return keys
        }
        if let keys = state.withLock({ $0.pendingKeys }), (try? slots.verify(with: keys)) != nil {
            return try remember(keys)
        }
        return nil
    }

    /// Runs `body`. Its error is recorded unless a more important one already is, and the next way is tried.
    private func attempt<Result>(
        _ failure: inout StorageError?,
        also: StorageError.Code? = nil,
        _ body: () throws(StorageError) -> Result?
    ) throws(StorageError) -> Result? {
        do throws(StorageError) {
            return try body()
        } catch {
            if error.code == also {
                failure = failure ?? error
                return nil
            }
            guard error.code.concernsOneSecret else { throw error }
            // A rejected secret is more informative than a missing one.
            if failure == nil || failure?.code == .keyMissing { failure = error }
            return nil
        }
    }

    func openWithOwnKeyFile(
        _ slots: KeySlots,
        until deadline: Deadline
    ) throws(StorageError) -> GroupKeys {
        let first = ownKeyFiles.first(of: slots.uuid)
        var failure: StorageError?
        let keys = try attempt(&failure) { () throws(StorageError) in try open(slots, with: first) }
        if let keys { return keys }
        // Only a change of keys creates other files, and looking for them costs as much as opening the first one.
        var files = try ownKeyFiles.all(of: slots.uuid)
        files.removeAll { $0 == first }
        for (index, file) in files.enumerated() {
            guard index == 0 || !deadline.hasPassed else {
                throw ownKeyFiles.tooMany(files.count)
            }
            if let keys = try attempt(&failure, { () throws(StorageError) in try open(slots, with: file) }) {
                return keys
            }
        }
        // The group's creator may just have renamed its key file, so try the first one again. An earlier error takes
        // precedence.
        var last: StorageError?
        if let keys = try attempt(&last, { () throws(StorageError) in try open(slots, with: first) }) { return keys }
        throw failure ?? last ?? StorageError(.keyRejected)
    }

    func openWithKeyring(
        _ slots: KeySlots,
        _ named: String?,
        until deadline: Deadline
    ) throws(StorageError) -> GroupKeys {
        var failure: StorageError?
        for slot in slots.slots where slot.kind == .keyring {
            let keys = try attempt(&failure, also: .damaged) { () throws(StorageError) in
                let secret = try keyringSecret(of: slot.id, slots.uuid, in: named, until: deadline)
                return try sealing(try slots.unlock(slot: slot.id, with: secret))
            }
            if let keys { return keys }
        }
        throw failure ?? StorageError(.keyRejected)
    }

    func open(_ slots: KeySlots, with file: KeyFile) throws(StorageError) -> GroupKeys {
        try open(slots, with: file.read(), path: file.path)
    }

    func open(
        _ slots: KeySlots,
        with secret: SlotSecret,
        path: @autoclosure () -> String?
    ) throws(StorageError) -> GroupKeys {
        do throws(SealingError) {
            return try slots.unlock(with: secret)
        } catch {
            throw error.code == .keyRejected ? StorageError(.keyRejected, path: path()) : StorageError(error)
        }
    }

    /// Requests a passphrase; nil if the caller declines.
    package func passphrase(
        for purpose: PassphraseRequest.Purpose,
        ask: (PassphraseRequest) throws(TokenCacheError) -> Passphrase?
    ) throws(StorageError) -> SlotSecret? {
        noteQuestion()
        let answer: Passphrase?
        do throws(TokenCacheError) {
            answer = try ask(PassphraseRequest(group: group, purpose: purpose))
        } catch {
            state.withLock { $0.refusal = error.reason }
            throw StorageError(.keyMissing, detail: "the prompt for the passphrase failed")
        }
        guard let passphrase = consume answer else { return nil }
        return try passphrase.slotSecret()
    }

    /// The passphrase of a slot that a change of keys keeps; nil if the caller gives none.
    ///
    /// - Throws: ``StorageError/Code/keyRejected`` if the passphrase does not open the slot, and errors of the prompt.
    func passphraseToKeep(
        _ slot: KeySlot,
        of slots: KeySlots,
        _ materials: [KeyMaterial]
    ) throws(StorageError) -> SlotSecret? {
        for case .passphrase(let ask) in materials {
            guard let secret = try passphrase(for: .keep, ask: ask) else { continue }
            if try slots.opens(slot, with: secret) { return secret }
            throw StorageError(.keyRejected, detail: "the passphrase is not that of the group")
        }
        return nil
    }

    private static var otherGroup: StorageError {
        StorageError(
            .foreign,
            detail: "another group was put in the place of the one that was opened",
            advice: "Restore the folder, or open the group again"
        )
    }

    private static func missing(_ slots: KeySlots) -> String {
        let kinds = Set(slots.slots.compactMap(\.kind))
        let names = SlotKind.allCases.filter(kinds.contains).map(\.opener)
        return "the group is opened by " + names.joined(separator: " or ") + ", and none was given"
    }
}

extension KeySlots {
    /// Whether a secret opens a slot of the block.
    package func opens(_ slot: KeySlot, with secret: SlotSecret) throws(StorageError) -> Bool {
        do throws(SealingError) {
            _ = try unlock(slot: slot.id, with: secret)
            return true
        } catch {
            if error.code == .keyRejected { return false }
            throw StorageError(error)
        }
    }
}

extension Passphrase {
    /// Converts the passphrase to the secret of a passphrase slot.
    consuming func slotSecret() throws(StorageError) -> SlotSecret {
        do throws(SealingError) {
            return try SlotSecret.passphrase(bytes)
        } catch {
            throw StorageError(error)
        }
    }
}
