internal import RecordStorage
internal import Sealing
internal import Synchronization

/// Opens the key slots of a group with what the caller gave, whenever the store meets slots that it cannot open yet.
///
/// Key files are read and passphrases asked for each time, and kept no longer than that takes. Safe from any thread.
final class KeyUnlocker: Sendable {
    private struct State {
        var hasUnlocked = false
        var refusal: TokenCacheError?
        /// The key file that was named when the group was made.
        var notedKeyFile: KeyFile?
        /// Keys that are just being put in force.
        var comingKeys: GroupKeys?
    }

    private let group: String
    /// What the caller gave.
    let materials: [KeyMaterial]
    private let ownKeyFiles: OwnKeyFiles
    /// Where keys go that were unlocked.
    let keyring: GroupKeyring
    private let state = Mutex(State())

    init(group: String, materials: [KeyMaterial], ownKeyFiles: OwnKeyFiles, keyring: GroupKeyring) {
        self.group = group
        self.materials = materials
        self.ownKeyFiles = ownKeyFiles
        self.keyring = keyring
    }

    /// What the caller's own closure threw last, which a store's error cannot carry; taken once.
    func takeRefusal() -> TokenCacheError? {
        state.withLock { state in
            defer { state.refusal = nil }
            return state.refusal
        }
    }

    /// The path of the key file that the caller named, if any.
    var namedKeyFilePath: String? {
        for case .keyFile(let file) in materials { return file.path }
        return nil
    }

    /// Tells where the key file is that was named when the group was made. Where the caller names none, it is tried.
    func note(keyFilePath: String?) {
        guard let keyFilePath, let file = try? KeyFile(at: keyFilePath) else { return }
        state.withLock { $0.notedKeyFile = file }
    }

    /// The key file that was named when the group was made.
    var notedKeyFile: KeyFile? { state.withLock { $0.notedKeyFile } }

    /// The keys that `slots` hold.
    ///
    /// - Throws: ``StorageError/Code/keyRejected`` where nothing that was given opens a slot,
    ///   ``StorageError/Code/keyMissing`` where nothing was given or found that could.
    func unlock(_ slots: KeySlots) throws(StorageError) -> GroupKeys {
        if let known = try known(slots) { return known }
        var failure: StorageError?
        // Those that cost and bother nobody come first.
        for material in materials where material.slotKind != .passphrase {
            if let keys = try attempt(&failure, { () throws(StorageError) in try open(slots, with: material) }) {
                return try remember(keys)
            }
        }
        for material in materials where material.slotKind == .passphrase {
            if let keys = try attempt(&failure, { () throws(StorageError) in try open(slots, with: material) }) {
                return try remember(keys)
            }
        }
        throw failure ?? StorageError(.keyMissing, detail: Self.missing(slots))
    }

    /// Keeps keys that were unlocked, or made and put in force.
    @discardableResult
    func remember(_ keys: GroupKeys) throws(StorageError) -> GroupKeys {
        try keyring.add(keys)
        state.withLock { state in
            state.hasUnlocked = true
            // One way was refused and another one opened the group.
            state.refusal = nil
        }
        return keys
    }

    /// Runs `body`, which puts `keys` in force. Whoever meets their slots meanwhile gets them; nothing is kept of them
    /// where nobody did.
    func offering(_ keys: GroupKeys, _ body: () throws(StorageError) -> Void) throws(StorageError) {
        state.withLock { $0.comingKeys = keys }
        defer { state.withLock { $0.comingKeys = nil } }
        try body()
    }

    /// The keys that `slots` hold, where they are at hand: nothing else vouches for keys than that the block verifies.
    private func known(_ slots: KeySlots) throws(StorageError) -> GroupKeys? {
        if let keys = try? keyring.sealer(epoch: slots.epoch).keys, (try? slots.verify(with: keys)) != nil {
            return keys
        }
        if let keys = state.withLock({ $0.comingKeys }), (try? slots.verify(with: keys)) != nil {
            return try remember(keys)
        }
        return nil
    }

    /// Runs `body`; what it throws is kept unless something worse was there, and the next thing is tried.
    private func attempt(
        _ failure: inout StorageError?,
        _ body: () throws(StorageError) -> GroupKeys?
    ) throws(StorageError) -> GroupKeys? {
        do throws(StorageError) {
            return try body()
        } catch {
            switch error.code {
            case .keyRejected, .keyMissing, .keyFileInvalid, .unsafeFile, .unsafePermissions, .unsupportedKDF:
                // That something was tried and refused says more than that something else was not there.
                if failure == nil || failure?.code == .keyMissing { failure = error }
                return nil
            default:
                throw error
            }
        }
    }

    /// - Returns: nil where there is no slot of its kind.
    private func open(_ slots: KeySlots, with material: KeyMaterial) throws(StorageError) -> GroupKeys? {
        guard slots.slots.contains(where: { $0.kind == material.slotKind }) else { return nil }
        switch material {
        case .ownKeyFile: return try openWithOwnKeyFile(slots)
        case .keyFile(let file): return try open(slots, with: file)
        case .passphrase(let ask):
            let purpose: PassphraseRequest.Purpose = state.withLock { $0.hasUnlocked } ? .reopen : .open
            guard let secret = try passphrase(for: purpose, ask: ask) else {
                throw StorageError(.keyMissing, detail: "no passphrase was given")
            }
            return try open(slots, with: secret, path: nil)
        }
    }

    private func openWithOwnKeyFile(_ slots: KeySlots) throws(StorageError) -> GroupKeys {
        let first = ownKeyFiles.first(of: slots.uuid)
        var failure: StorageError?
        if let keys = try attempt(&failure, { () throws(StorageError) in try open(slots, with: first) }) { return keys }
        // Only a change of keys makes others; looking for them costs as much as opening the first one.
        var files = try ownKeyFiles.all(of: slots.uuid)
        files.removeAll { $0 == first }
        if let noted = notedKeyFile { files.append(noted) }
        for file in files {
            if let keys = try attempt(&failure, { () throws(StorageError) in try open(slots, with: file) }) {
                return keys
            }
        }
        throw failure ?? StorageError(.keyRejected)
    }

    private func open(_ slots: KeySlots, with file: KeyFile) throws(StorageError) -> GroupKeys {
        try open(slots, with: file.read(), path: file.path)
    }

    private func open(_ slots: KeySlots, with secret: SlotSecret, path: String?) throws(StorageError) -> GroupKeys {
        do throws(SealingError) {
            return try slots.unlock(with: secret)
        } catch {
            let converted = StorageError(error)
            guard error.code == .keyRejected else { throw converted }
            throw StorageError(.keyRejected, path: path)
        }
    }

    /// Asks for a passphrase; nil where that is declined.
    func passphrase(
        for purpose: PassphraseRequest.Purpose,
        ask: (PassphraseRequest) throws(TokenCacheError) -> Passphrase?
    ) throws(StorageError) -> SlotSecret? {
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

extension KeyUnlocker {
    /// What a new group is to be opened with, but for the key file that the library makes: that bears the group's UUID.
    func gatherSecrets() throws(StorageError) -> [SlotSecret] {
        var secrets: [SlotSecret] = []
        for material in materials {
            switch material {
            case .ownKeyFile: break
            case .keyFile(let file): secrets.append(try file.readOrCreate())
            case .passphrase(let ask):
                guard let secret = try passphrase(for: .create, ask: ask) else {
                    throw StorageError(.keyMissing, detail: "no passphrase was given")
                }
                secrets.append(secret)
            }
        }
        return secrets
    }

    /// `secrets` and, where it is to be one of them, the key file that the library makes.
    func withOwnKeyFile(_ secrets: [SlotSecret], group: GroupUUID) throws(StorageError) -> [SlotSecret] {
        for case .ownKeyFile in materials { return try [ownKeyFiles.first(of: group).readOrCreate()] + secrets }
        return secrets
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
