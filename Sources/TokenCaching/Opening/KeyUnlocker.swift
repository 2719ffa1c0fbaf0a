internal import GroupDirectory
internal import RecordStorage
internal import Sealing
internal import SecretServiceStorage
internal import Synchronization
internal import SystemPackage

/// Opens the key slots of a group with what the caller gave, whenever the store meets slots that it cannot open yet.
///
/// Key files are read and passphrases asked for each time, and kept no longer than that takes. Safe from any thread.
final class KeyUnlocker: Sendable {
    private struct State {
        /// Those that were unlocked, or put in force, last.
        var newestKeys: GroupKeys?
        var refusal: TokenCacheError?
        /// The key file that was named when the group was made.
        var notedKeyFile: KeyFile?
        /// The collection that was named for the group's items in the keyring.
        var notedCollection: String?
        /// Keys that are just being put in force.
        var comingKeys: GroupKeys?
        /// How often a person was asked.
        var questionCount = 0
    }

    private let group: String
    /// What the caller gave.
    let materials: [KeyMaterial]
    /// What a new group gets slots for.
    private let creation: [KeyMaterial]
    private let ownKeyFiles: OwnKeyFiles
    /// The folder that the groups of this root lie in.
    private let root: String
    /// What the group is held to.
    let pinning: GroupPinning
    let keyringAccess: KeyringAccess
    /// Where keys go that were unlocked.
    let keyring: GroupKeyring
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

    /// How often a person was asked by now.
    var questionCount: Int { state.withLock { $0.questionCount } }

    /// The keys that were unlocked, or put in force, last.
    var newestKeys: GroupKeys? { state.withLock { $0.newestKeys } }

    /// What the caller's own closure threw last, which a store's error cannot carry; taken once.
    func takeRefusal() -> TokenCacheError? {
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

    /// Tells where the key file is that was named when the group was made. Where the caller names none, it is tried.
    func note(keyFilePath: String?) {
        guard let keyFilePath, let file = try? KeyFile(at: keyFilePath) else { return }
        state.withLock { $0.notedKeyFile = file }
    }

    /// The key file that was named when the group was made, where it may be tried: who can write the state file must not
    /// lead anybody to a key file of theirs. So never one below the root, nor where the group has one of its own.
    func usableNotedKeyFile() throws(StorageError) -> KeyFile? {
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
    var keyFilePathToNote: String? {
        for case .keyFile(let file) in materials { return file.path }
        return ((try? usableNotedKeyFile()) ?? nil)?.path
    }

    /// Tells in which collection the items of the group are. Where the caller names none, it is used.
    func note(collection: String?) {
        state.withLock { $0.notedCollection = collection }
    }

    /// The collection of the keyring to use where the caller named this one, or none.
    func collection(_ named: String?) -> String? {
        named ?? state.withLock { $0.notedCollection }
    }

    /// Runs `body`, and begins the time of the call anew where a person was asked meanwhile.
    func giving<Result>(
        _ time: WaitingTime,
        _ body: () throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        let before = state.withLock { $0.questionCount }
        defer { if state.withLock({ $0.questionCount }) != before { time.restart() } }
        return try body()
    }

    /// The keys that `slots` hold.
    ///
    /// - Throws: ``StorageError/Code/keyRejected`` where nothing that was given opens a slot,
    ///   ``StorageError/Code/keyMissing`` where nothing was given or found that could.
    func unlock(_ slots: KeySlots, until deadline: Deadline) throws(StorageError) -> GroupKeys {
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
    func remember(_ keys: GroupKeys) throws(StorageError) -> GroupKeys {
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

    /// - Returns: nil where there is no slot of its kind.
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

    /// Asks for a passphrase; nil where that is declined.
    func passphrase(
        for purpose: PassphraseRequest.Purpose,
        ask: (PassphraseRequest) throws(TokenCacheError) -> Passphrase?
    ) throws(StorageError) -> SlotSecret? {
        state.withLock { $0.questionCount += 1 }
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
    /// What a new group is to be opened with, as far as it does not bear the group's UUID. People are asked here.
    func gatherSecrets() throws(StorageError) -> [SlotSecret] {
        var secrets: [SlotSecret] = []
        for material in creation {
            switch material {
            case .ownKeyFile, .keyring: break
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

    /// What the library itself makes for a group that comes to the file from elsewhere: its key file, its item in the keyring.
    func makeOwn(for keys: GroupKeys, until deadline: Deadline) throws(StorageError) -> [NewSlot] {
        try makeOwn(keys.uuid, goingOn: false, until: deadline) { () throws(StorageError) in
            try ownKeyFiles.first(of: keys.uuid, epoch: keys.epoch).readOrCreate()
        }
    }

    /// The same for a new group. With `goingOn` somebody began to make it: a key file or an item that they made is used.
    func makeOwnOfNewGroup(
        _ group: GroupUUID,
        goingOn: Bool,
        until deadline: Deadline
    ) throws(StorageError) -> [NewSlot] {
        try makeOwn(group, goingOn: goingOn, until: deadline) { () throws(StorageError) in
            let file = ownKeyFiles.begun(of: group)
            for _ in 1..<Self.attemptLimit {
                if goingOn, (try? file.read()) == nil, let secret = try? ownKeyFiles.first(of: group).read() {
                    return secret
                }
                do throws(StorageError) {
                    return try file.readOrCreate()
                } catch {
                    // Who makes the group too has given it its name between two looks: the next look sees that.
                    guard error.code == .keyMissing else { throw error }
                }
            }
            return try file.readOrCreate()
        }
    }

    /// How often it is looked for a key file that others may be renaming.
    private static let attemptLimit = 8

    /// Whether a new group may have this UUID, which nobody vouches for: no group has it or had it, as far as can be known, so
    /// that nothing is shared with it that goes with the one or the other.
    func mayGive(_ group: GroupUUID) -> Bool {
        guard !pinning.isUsed(group), let files = try? ownKeyFiles.all(of: group) else { return false }
        return files.allSatisfy { $0 == ownKeyFiles.begun(of: group) }
    }

    /// Tells by the name of the key file that the group is made. Where that cannot be now, the group opens all the same.
    func noteMade(_ group: GroupUUID) {
        try? ownKeyFiles.begun(of: group).rename(to: ownKeyFiles.first(of: group))
    }

    /// Removes a key file that came too late: another one opens the group, and bears its name by now.
    func removeLateKeyFile(_ group: GroupUUID) {
        guard let files = try? ownKeyFiles.all(of: group), files.contains(ownKeyFiles.first(of: group)) else { return }
        try? ownKeyFiles.begun(of: group).remove()
    }

    private func makeOwn(
        _ group: GroupUUID,
        goingOn: Bool,
        until deadline: Deadline,
        _ keyFile: () throws(StorageError) -> SlotSecret
    ) throws(StorageError) -> [NewSlot] {
        var slots: [NewSlot] = []
        for case .ownKeyFile in creation { slots = [NewSlot(try keyFile())] }
        for case .keyring(let collection) in creation {
            let existing = goingOn ? try existingKeyringSlot(collection, group, until: deadline) : nil
            if let existing {
                slots.append(existing)
            } else {
                slots.append(try makeKeyringSlot(collection, group, until: deadline))
            }
        }
        return slots
    }

    private func existingKeyringSlot(
        _ collection: String?,
        _ group: GroupUUID,
        until deadline: Deadline
    ) throws(StorageError) -> NewSlot? {
        let found = try withKeyring(collection) { items throws(StorageError) in
            try items.existing(of: group, until: keyringAccess.end(deadline), prompts: keyringAccess.policy)
        }
        return found.map { NewSlot($0.secret, id: $0.slot) }
    }

    /// Removes the items in the keyring that others began to make this group with. The caller holds the lock for keys.
    func removeOtherKeyringItems(_ slots: KeySlots, until deadline: Deadline) throws(StorageError) {
        let kept = Set(slots.slots.filter { $0.kind == .keyring }.map(\.id))
        for case .keyring(let collection) in creation {
            try keyringAccess.withSlots(self.collection(collection)) { items throws(StorageError) in
                try items.removeAll(of: slots.uuid, but: kept, until: deadline)
            }
        }
    }

    /// What the keyring has for a slot.
    func keyringSecret(
        of slot: SlotID,
        _ group: GroupUUID,
        in named: String? = nil,
        until deadline: Deadline
    ) throws(StorageError) -> SlotSecret {
        try withKeyring(named) { items throws(StorageError) in
            try items.secret(of: slot, group, until: keyringAccess.end(deadline), prompts: keyringAccess.policy)
        }
    }

    /// Makes an item in the keyring, and the slot for it.
    func makeKeyringSlot(
        _ collection: String?,
        _ group: GroupUUID,
        until deadline: Deadline
    ) throws(StorageError) -> NewSlot {
        let id = SlotID()
        let secret = try withKeyring(collection) { items throws(StorageError) in
            try items.create(id, of: group, until: keyringAccess.end(deadline), prompts: keyringAccess.policy)
        }
        return NewSlot(secret, id: id)
    }

    /// Runs `body` with the items of the group in a keyring that may ask the person.
    private func withKeyring<Result>(
        _ named: String?,
        _ body: (KeyringSlots) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        if keyringAccess.policy == .allowed { state.withLock { $0.questionCount += 1 } }
        return try withSlots(named, body)
    }

    /// Runs `body` with the items of the group in the collection that the caller names, or the one that is noted. Nobody
    /// vouches for that one: where it is not there, the default collection takes its place.
    func withSlots<Result>(
        _ named: String?,
        _ body: (KeyringSlots) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        let noted = collection(named)
        do throws(StorageError) {
            return try keyringAccess.withSlots(noted, body)
        } catch {
            guard named == nil, noted != nil, error.code == .keyringMissing else { throw error }
            return try keyringAccess.withSlots(nil, body)
        }
    }

    /// Removes the items in the keyring of slots that are not used, or no more.
    func removeKeyringItems(
        of slots: [SlotID],
        in named: String? = nil,
        until deadline: Deadline
    ) throws(StorageError) {
        if slots.isEmpty { return }
        var collections: Set<String?> = [collection(named)]
        for case .keyring(let collection?) in materials + creation { collections.insert(collection) }
        for collection in collections {
            try keyringAccess.withSlots(collection) { items throws(StorageError) in
                for slot in slots { try items.remove(slot, until: deadline) }
            }
        }
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
