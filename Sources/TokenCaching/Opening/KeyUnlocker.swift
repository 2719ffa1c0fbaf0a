package import GroupDirectory
package import GroupRecords
package import RecordStorage
package import Sealing
internal import SecretServiceStorage
internal import Synchronization
internal import SystemPackage

/// Opens the key slots of a group with what the caller gave, whenever the store meets slots that it cannot open yet.
///
/// Key files are read and passphrases asked for each time, and kept no longer than that takes. Safe from any thread.
package final class KeyUnlocker: Sendable {
    private struct State {
        /// Those that were unlocked, or put in force, last.
        var newestKeys: GroupKeys?
        var refusal: TokenCacheError?
        /// The key file that was named when the group was made.
        var notedKeyFile: KeyFile?
        /// What the folder says of the group, which anybody may have written.
        var noted: StoreState?
        /// Keys that are just being put in force.
        var pendingKeys: GroupKeys?
        /// How often the user was asked.
        var questionCount = 0
    }

    private let group: String
    /// What the caller gave.
    package let materials: [KeyMaterial]
    /// What a new group gets slots for.
    let creation: [KeyMaterial]
    let ownKeyFiles: OwnKeyFiles
    /// The folder that the groups of this root lie in.
    private let root: String
    /// What the group is held to.
    package let pinning: GroupPinning
    package let keyringAccess: KeyringAccess
    /// Where keys go that were unlocked.
    package let keyring: GroupKeyring
    private let state = Mutex(State())

    init(
        group: String,
        materials: [KeyMaterial],
        creation: [KeyMaterial],
        ownKeyFiles: OwnKeyFiles,
        root: String,
        pinning: GroupPinning,
        keyringAccess: KeyringAccess,
        keyring: GroupKeyring
    ) {
        self.group = group
        self.materials = materials
        self.creation = creation
        self.ownKeyFiles = ownKeyFiles
        self.root = root
        self.pinning = pinning
        self.keyringAccess = keyringAccess
        self.keyring = keyring
    }

    /// How often the user was asked by now.
    package var questionCount: Int { state.withLock { $0.questionCount } }

    /// Notes that the user is asked.
    func noteQuestion() { state.withLock { $0.questionCount += 1 } }

    /// The keys that were unlocked, or put in force, last.
    package var newestKeys: GroupKeys? { state.withLock { $0.newestKeys } }

    /// What the caller's own closure threw last, which a store's error cannot carry; taken once.
    package func takeRefusal() -> TokenCacheError? {
        state.withLock { state in
            defer { state.refusal = nil }
            return state.refusal
        }
    }

    /// The path of the key file that the caller named for a new group, if any.
    var namedKeyFilePath: String? {
        for case .keyFile(let file) in creation { return file.path }
        return nil
    }

    /// The collection of the keyring that the caller named for a new group, if any.
    var namedCollection: String? { creation.collection }

    /// Tells what the folder says of the group: where the key file is that was named when it was made, and in which collection
    /// its items are. If the caller names none, those are tried.
    package func note(_ noted: StoreState?) {
        let file = noted?.keyFile.flatMap { try? KeyFile(at: $0) }
        state.withLock { state in
            state.noted = noted
            if let file { state.notedKeyFile = file }
        }
    }

    /// The key file that was named when the group was made, where it may be tried: who can write the state file must not
    /// lead anybody to a key file of theirs. So never one below the root, nor where the group has one of its own.
    package func usableNotedKeyFile() throws(StorageError) -> KeyFile? {
        guard let noted = state.withLock({ $0.notedKeyFile }) else { return nil }
        if let pin = pinning.pin, try !ownKeyFiles.all(of: pin.group).isEmpty { return nil }
        // One that is not there is for its reader to report.
        guard let folder = try? PrivateFolder.open(noted.folder, isShared: true).path.string else { return noted }
        guard folder.utf8.elementsEqual(root.utf8) || folder.utf8.starts(with: (root + "/").utf8) else { return noted }
        throw StorageError(
            .keyMissing,
            path: noted.path,
            detail:
                "the state file of the group names this key file, which lies below the root, where whoever can write the "
                + "group can put one; name it with --key-file, or in the app that opens the group"
        )
    }

    /// The path of the key file that a state file is to name: the one that the caller names, or the one that is noted.
    package var keyFilePathToNote: String? {
        for case .keyFile(let file) in materials { return file.path }
        return ((try? usableNotedKeyFile()) ?? nil)?.path
    }

    /// The collection of the keyring to look into where the caller named this one, or none.
    package func collection(toRead named: String?) -> String? {
        named ?? state.withLock { $0.noted?.collection }
    }

    /// The collection of the keyring to write to where the caller named this one, or none: what is written where the folder
    /// says, and nobody with the keys does, may be lost with a collection that lives no longer than the session.
    package func collection(toWrite named: String?) -> String? {
        if let named { return named }
        let (noted, keys) = state.withLock { ($0.noted, $0.newestKeys) }
        guard let noted, let keys, noted.isAuthentic(under: keys) else { return nil }
        return noted.collection
    }

    /// Runs `body`, and begins the time of the call anew where the user was asked meanwhile.
    package func giving<Result>(
        _ time: WaitingTime,
        _ body: () throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        let before = state.withLock { $0.questionCount }
        defer { if state.withLock({ $0.questionCount }) != before { time.restart() } }
        return try body()
    }

    /// The keys that `slots` hold.
    ///
    /// - Throws: ``StorageError/Code/keyRejected`` if nothing that was given opens a slot,
    ///   ``StorageError/Code/keyMissing`` if nothing was given or found that could.
    package func unlock(_ slots: KeySlots, until deadline: Deadline) throws(StorageError) -> GroupKeys {
        try pinning.check(slots.uuid)
        if let known = try known(slots) { return known }
        var failure: StorageError?
        // Those that cost and bother nobody come first.
        for material in materials where material.slotKind != .passphrase {
            // That an item is damaged says nothing of the other ways.
            let also: StorageError.Code? = material.slotKind == .keyring ? .damaged : nil
            let keys = try attempt(&failure, also: also) { () throws(StorageError) in
                try open(slots, with: material, until: deadline)
            }
            if let keys { return try remember(keys) }
        }
        for material in materials where material.slotKind == .passphrase {
            let keys = try attempt(&failure) { () throws(StorageError) in
                try open(slots, with: material, until: deadline)
            }
            if let keys { return try remember(keys) }
        }
        throw failure ?? StorageError(.keyMissing, detail: Self.missing(slots))
    }

    /// Keeps keys that were unlocked, or made and put in force.
    @discardableResult
    package func remember(_ keys: GroupKeys) throws(StorageError) -> GroupKeys {
        try pinning.check(keys)
        try keyring.add(keys)
        state.withLock { state in
            state.newestKeys = keys
            // One way was refused and another one opened the group.
            state.refusal = nil
        }
        return keys
    }

    /// Runs `body`, which puts `keys` in force. Whoever meets their slots meanwhile gets them; nothing is kept of them
    /// where nobody did.
    package func staging(_ keys: GroupKeys, _ body: () throws(StorageError) -> Void) throws(StorageError) {
        state.withLock { $0.pendingKeys = keys }
        defer { state.withLock { $0.pendingKeys = nil } }
        try body()
    }

    /// The keys that `slots` hold, where they are at hand: nothing else vouches for keys than that the block verifies.
    private func known(_ slots: KeySlots) throws(StorageError) -> GroupKeys? {
        if let keys = try? keyring.sealer(epoch: slots.epoch).keys, (try? slots.verify(with: keys)) != nil {
            return keys
        }
        if let keys = state.withLock({ $0.pendingKeys }), (try? slots.verify(with: keys)) != nil {
            return try remember(keys)
        }
        return nil
    }

    /// Runs `body`; what it throws is kept unless something worse was there, and the next thing is tried.
    private func attempt<Result>(
        _ failure: inout StorageError?,
        also: StorageError.Code? = nil,
        _ body: () throws(StorageError) -> Result?
    ) throws(StorageError) -> Result? {
        do throws(StorageError) {
            return try body()
        } catch {
            switch error.code {
            case also:
                failure = failure ?? error
                return nil
            case .keyRejected, .keyMissing, .keyFileInvalid, .unsafeFile, .unsafePermissions, .unsupportedKDF,
                .keyringMissing, .keyringLocked, .keyringItemMissing, .keyringRefused, .promptDismissed,
                .promptPending, .timeout:
                // That something was tried and refused says more than that something else was not there.
                if failure == nil || failure?.code == .keyMissing { failure = error }
                return nil
            default:
                throw error
            }
        }
    }

    /// - Returns: nil if there is no slot of its kind.
    private func open(
        _ slots: KeySlots,
        with material: KeyMaterial,
        until deadline: Deadline
    ) throws(StorageError) -> GroupKeys? {
        guard slots.slots.contains(where: { $0.kind == material.slotKind }) else { return nil }
        switch material {
        case .ownKeyFile: return try openWithOwnKeyFile(slots, until: deadline)
        case .keyFile(let file): return try open(slots, with: file)
        case .keyring(let collection): return try openWithKeyring(slots, collection, until: deadline)
        case .passphrase(let ask):
            // Nobody is asked in vain.
            guard slots.acceptsPassphrase else { throw StorageError(.unsupportedKDF) }
            let purpose: PassphraseRequest.Purpose = newestKeys != nil ? .reopen : .open
            guard let secret = try passphrase(for: purpose, ask: ask) else {
                throw StorageError(.keyMissing, detail: "no passphrase was given")
            }
            return try open(slots, with: secret, path: nil)
        }
    }

    private func openWithOwnKeyFile(
        _ slots: KeySlots,
        until deadline: Deadline
    ) throws(StorageError) -> GroupKeys {
        let first = ownKeyFiles.first(of: slots.uuid)
        var failure: StorageError?
        let keys = try attempt(&failure) { () throws(StorageError) in try open(slots, with: first) }
        if let keys { return keys }
        // Only a change of keys makes others; looking for them costs as much as opening the first one.
        var files = try ownKeyFiles.all(of: slots.uuid)
        files.removeAll { $0 == first }
        if let noted = try attempt(&failure, { () throws(StorageError) in try usableNotedKeyFile() }) {
            files.append(noted)
        }
        for (index, file) in files.enumerated() {
            guard index == 0 || !deadline.hasPassed else {
                throw ownKeyFiles.tooMany(files.count)
            }
            if let keys = try attempt(&failure, { () throws(StorageError) in try open(slots, with: file) }) {
                return keys
            }
        }
        // Who makes the group may have given its key file this name just now. What was in the way before is told before.
        var last: StorageError?
        if let keys = try attempt(&last, { () throws(StorageError) in try open(slots, with: first) }) { return keys }
        throw failure ?? last ?? StorageError(.keyRejected)
    }

    private func openWithKeyring(
        _ slots: KeySlots,
        _ named: String?,
        until deadline: Deadline
    ) throws(StorageError) -> GroupKeys {
        var failure: StorageError?
        for slot in slots.slots where slot.kind == .keyring {
            let keys = try attempt(&failure, also: .damaged) { () throws(StorageError) in
                let secret = try keyringSecret(of: slot.id, slots.uuid, in: named, until: deadline)
                return try sealing { () throws(SealingError) in try slots.unlock(slot: slot.id, with: secret) }
            }
            if let keys { return keys }
        }
        throw failure ?? StorageError(.keyRejected)
    }

    private func open(_ slots: KeySlots, with file: KeyFile) throws(StorageError) -> GroupKeys {
        try open(slots, with: file.read(), path: file.path)
    }

    private func open(
        _ slots: KeySlots,
        with secret: SlotSecret,
        path: @autoclosure () -> String?
    ) throws(StorageError) -> GroupKeys {
        do throws(SealingError) {
            return try slots.unlock(with: secret)
        } catch {
            let converted = StorageError(error)
            guard error.code == .keyRejected else { throw converted }
            throw StorageError(.keyRejected, path: path())
        }
    }

    /// Asks for a passphrase; nil if that is declined.
    package func passphrase(
        for purpose: PassphraseRequest.Purpose,
        ask: (PassphraseRequest) throws(TokenCacheError) -> Passphrase?
    ) throws(StorageError) -> SlotSecret? {
        noteQuestion()
        do throws(TokenCacheError) {
            return try ask(PassphraseRequest(group: group, purpose: purpose))?.slotSecret()
        } catch {
            state.withLock { $0.refusal = error }
            throw StorageError(.keyMissing, detail: "asking for the passphrase failed")
        }
    }

    private static func missing(_ slots: KeySlots) -> String {
        let kinds = Set(slots.slots.map { $0.kind })
        let names = [
            kinds.contains(.keyFile) ? "a key file" : nil, kinds.contains(.passphrase) ? "a passphrase" : nil,
            kinds.contains(.keyring) ? "a keyring" : nil,
        ]
        return "the group opens with " + names.compactMap { $0 }.joined(separator: " or ") + ", and none was given"
    }
}

extension Passphrase {
    /// What opens a passphrase slot.
    consuming func slotSecret() throws(TokenCacheError) -> SlotSecret {
        do throws(SealingError) {
            return try SlotSecret.passphrase(bytes)
        } catch {
            throw TokenCacheError(error)
        }
    }
}
