// SPDX-License-Identifier: Apache-2.0

internal import FileStorage
internal import GroupDirectory
internal import GroupRecords
internal import RecordStorage
internal import Sealing
internal import SecretServiceStorage
internal import SystemPackage
internal import TokenCaching

/// Removes a group, whether or not it is usable.
///
/// The user may always remove the folder. Anything outside it is removed only if the group's keys, or its pin, prove
/// that it belongs to the group: the unauthenticated state file and journal header can only prevent a removal.
struct GroupRemoval {
    private let opener: GroupOpener
    /// `nil` if there is no folder of that name.
    private let directory: GroupDirectory?
    /// The path of the folder, whether it exists or not.
    private let path: FilePath
    /// The folders of earlier removals that were interrupted.
    private let retired: [RetiredFolder]
    private let claims: GroupClaims
    private let time: WaitingTime
    private var report: GroupRemovalReport

    static func run(with opener: GroupOpener, isDryRun: Bool) throws(StorageError) -> GroupRemovalReport {
        var removal = try GroupRemoval(opener, isDryRun: isDryRun)
        // The user may be prompted for a key, so no lock is held yet.
        let owner = try removal.owner()
        guard !isDryRun, let directory = removal.directory else { return try removal.finish(owner) }
        try directory.checkIsRemovable()
        removal.unlockKeyring()
        // With this lock, no change of keys and no migration can begin.
        return try removal.withLock(.keys, of: directory) { () throws(StorageError) in
            guard try GroupClaims(of: directory) == removal.claims else {
                throw StorageError(.busy, path: directory.path.string, detail: "the group keeps changing")
            }
            return try removal.finish(owner)
        }
    }

    /// Removes everything that a group has besides its folder, and the folder, which the caller has retired.
    static func removeRest(
        of group: GroupUUID,
        in path: FilePath,
        _ retired: RetiredFolder,
        _ location: GroupLocation,
        within time: WaitingTime
    ) throws(StorageError) {
        try retired.remove(isStoreFile: [any StorageBackend].all.haveFile, erasing: FileStore.erase)
        if location.isUsed(group, elsewhereThanIn: path) { return }
        // Secrets in the keyring are removed below, together with the group's records there.
        for secret in try location.externalSecrets(of: group).all(except: .keyring) {
            try secret.remove(until: time.deadline)
        }
        if let busAddress = location.busAddress {
            let items = try GroupItems(location.name, SecretServiceLocation(busAddress: busAddress))
            defer { items.close() }
            _ = try items.remove(group, within: time)
        }
        try location.pins?.remove(for: path.string)
    }

    private init(_ opener: GroupOpener, isDryRun: Bool) throws(StorageError) {
        if case .memory = opener.storage {
            throw StorageError(.storageMismatch, detail: "a group in memory has no folder")
        }
        self.opener = opener
        report = GroupRemovalReport(isDryRun: isDryRun)
        time = WaitingTime(opener.timeout)
        let location = opener.location
        do throws(StorageError) {
            directory = try opener.location.openDirectory(
                isDryRun ? .readOnly : .readWrite,
                ignoringUnsafePage: true
            )
        } catch {
            guard error.code == .notFound else { throw error }
            directory = nil
        }
        path = directory?.path ?? GroupDirectory.path(of: location.name, root: location.root)
        retired = try RetiredFolder.all(of: location.name, root: location.root)
        claims = if let directory { try GroupClaims(of: directory) } else { .unknown }
        let hasPin = location.pins?.hasPin(for: path.string) ?? false
        if let directory {
            let contents = try directory.contents(isStoreFile: opener.backends.haveFile)
            guard claims.isGroup || hasPin || directory.hasGroupFiles || contents.isEmpty else {
                throw StorageError(.notFound, path: path.string, detail: "this is not the folder of a group")
            }
        } else if retired.isEmpty, !hasPin {
            throw StorageError(.notFound, path: path.string, detail: "there is no group of this name")
        }
    }

    /// Removes the parts in an order that lets an interrupted removal be repeated: those that identify the others go
    /// last.
    private mutating func finish(_ owner: Owner) throws(StorageError) -> GroupRemovalReport {
        try removeKeyringItems(owner)
        try removeFolder()
        try removeSecretsOutsideKeyring(owner)
        removePin(owner)
        return report
    }

    /// Runs `body` while holding a lock of the group. Without a usable lock file, no other process can hold one, so
    /// none is taken.
    private func withLock<Result>(
        _ byte: LockByte,
        of directory: GroupDirectory,
        _ body: () throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        guard !report.isDryRun, directory.canLock else { return try body() }
        return try directory.withLock(byte, until: time.deadline, body)
    }

    // MARK: - Ownership

    /// What is known about the group in the folder.
    fileprivate enum Owner {
        /// The group's keys or its pin prove which group it is, and only this folder uses it.
        case proven(GroupUUID)
        /// The same, but another folder uses the group too.
        case shared(GroupUUID)
        /// Nothing proves which group it is.
        case unproven(TokenCacheError?)
        /// The folder held this other group when it was last opened.
        case replaced(GroupUUID)
    }

    private func owner() throws(StorageError) -> Owner {
        let pin = (try? opener.location.pins?.pin(for: path.string)) ?? nil
        var group: GroupUUID?
        var failure: StorageError?
        if let pin {
            guard claims.groups.isSubset(of: [pin.group]) else { return .replaced(pin.group) }
            group = pin.group
        } else if let directory {
            do throws(StorageError) { group = try openedGroup(in: directory) } catch { failure = error }
        }
        guard let group else { return .unproven(failure.map { TokenCacheError($0) }) }
        return opener.location.isUsed(group, elsewhereThanIn: path) ? .shared(group) : .proven(group)
    }

    /// The group according to its keys; `nil` if there is no store to open.
    private func openedGroup(in directory: GroupDirectory) throws(StorageError) -> GroupUUID? {
        var planner = StoragePlanner.forRepair(opener.storage, opener.fallbackUnlocking)
        planner.knownKinds = Set(opener.backends.map(\.kind))
        // Plan from the journal alone, whatever the state file says.
        if let journal = try directory.identity(of: FileStore.fileName) {
            let known = StoragePlanner.Known(state: nil, journal: journal, needingState: nil)
            let plan = try planner.plan(directory, known)
            let keys = try opener.withFileGroup(directory, plan) { unlocker throws(StorageError) in
                unlocker.note(claims.state)
                return try unlocker.restarting(time) { () throws(StorageError) in
                    try FileStore.keysOfJournal(
                        in: directory,
                        until: time.deadline,
                        costs: { unlocker.questionCount },
                        unlock: { (slots, end) throws(StorageError) in try unlocker.unlock(slots, until: end) }
                    )
                }
            }
            if let keys { return keys.uuid }
        }
        guard let kind = claims.state?.storage, kind != .file else { return nil }
        let plan = try planner.plan(directory, opener.known(directory))
        if kind != .keyring {
            let backend = try opener.backends.backend(of: kind)
            let opened = try backend.open(opener, in: directory, plan: plan, time: time)
            defer { opened?.store.close() }
            return try opened?.keysAndSequence(until: time.deadline)?.keys.uuid
        }
        let store = try opener.openKeyringStore(
            in: directory,
            plan,
            time,
            unlockedKeys: UnlockedKeys(),
            isForRepair: true
        )
        defer { store?.close() }
        // These keys need no secret of the folder, so the folder has to prove that it is theirs.
        if let store, let state = claims.state, !state.isAuthentic(under: store.groupKeys) {
            throw state.unprovenInKeyring(in: directory)
        }
        return store?.groupKeys.uuid
    }

    // MARK: - The parts

    /// Prompts the user to unlock the keyring if the group is known to need it.
    private func unlockKeyring() {
        let access = opener.keyringAccess
        guard claims.usesKeyring == true, access.policy == .allowed,
            let items = try? GroupItems(opener.location.name, access.location(nil))
        else { return }
        defer { items.close() }
        // If it stays locked, the report lists its items as kept.
        try? items.unlock(until: access.end(time.deadline))
        time.restart()
    }

    private mutating func removeKeyringItems(_ owner: Owner) throws(StorageError) {
        if claims.usesKeyring == false { return }
        do throws(StorageError) {
            let items = try GroupItems(opener.location.name, opener.keyringAccess.location(nil))
            defer { items.close() }
            if report.isDryRun { unlockKeyring() }
            if case .proven(let group) = owner {
                let found = try remove(items, of: group)
                if found.own > 0 { report.removed.append(.items(found.own)) }
                keepItems(
                    found.unreadable,
                    because: "They are locked, or too damaged to show which group they belong to."
                )
            } else if let group = owner.group ?? claims.groups.first {
                let found = try items.count(of: group, until: time.deadline)
                keepItems(found.own + found.unreadable, because: reason(owner), isLeftover: !owner.isShared)
            }
            time.restart()
        } catch {
            if error.code == .busy { throw error }
            if error.code == .keyringMissing, claims.usesKeyring == nil { return }
            report.kept.append(
                GroupRemovalReport.Part(
                    .keyringItems,
                    path: nil,
                    count: 0,
                    reason: TokenCacheError(error).description,
                    isLeftover: true
                )
            )
        }
    }

    private func remove(_ items: GroupItems, of group: GroupUUID) throws(StorageError) -> GroupItems.Count {
        if report.isDryRun { return try items.count(of: group, until: time.deadline) }
        // Only a group whose records are in the keyring has writers there.
        guard claims.state?.storage.isInKeyring == true, let directory else {
            return try items.remove(group, within: time)
        }
        return try withLock(.writer, of: directory) { () throws(StorageError) in
            try items.remove(group, within: time)
        }
    }

    private mutating func keepItems(_ count: Int, because reason: String, isLeftover: Bool = true) {
        if count == 0 { return }
        report.kept.append(
            GroupRemovalReport.Part(.keyringItems, path: nil, count: count, reason: reason, isLeftover: isLeftover)
        )
    }

    private mutating func removeFolder() throws(StorageError) {
        let backends = opener.backends
        for folder in retired {
            let contents = try folder.contents(isStoreFile: backends.haveFile)
            remove(.folder, at: folder.path, contents: contents) { () throws(StorageError) in
                try folder.remove(isStoreFile: backends.haveFile, erasing: FileStore.erase)
            }
        }
        guard let directory else { return }
        let contents = try directory.contents(isStoreFile: backends.haveFile)
        guard let other = contents.others.first else {
            // Renaming the folder removes the group; any part that cannot be deleted afterwards is reported.
            var retired: RetiredFolder?
            if !report.isDryRun {
                retired = try withLock(.writer, of: directory) { () throws(StorageError) in
                    try directory.retireFolder()
                }
            }
            return remove(.folder, at: path.string, contents: contents) { () throws(StorageError) in
                try retired?.remove(isStoreFile: backends.haveFile, erasing: FileStore.erase)
            }
        }
        let more = contents.others.count > 1 ? " and \(contents.others.count - 1) more" : ""
        keep(
            .folder,
            path.string,
            because: "\(other)\(more) in it \(more.isEmpty ? "does" : "do") not belong to the group. Move "
                + "\(more.isEmpty ? "it" : "them") away, then remove the group again."
        )
        if !report.isDryRun { try removeFiles(in: directory) }
    }

    /// Removes the files of the group from a folder that has to stay.
    private mutating func removeFiles(in directory: GroupDirectory) throws(StorageError) {
        do throws(StorageError) {
            try withLock(.writer, of: directory) { () throws(StorageError) in
                try? FileStore.removeJournal(in: directory)
                try directory.removeFiles(isStoreFile: opener.backends.haveFile)
                directory.revision.bump()
            }
        } catch {
            if error.code == .busy { throw error }
            keep(.folder, path.string, because: TokenCacheError(error).description)
        }
    }

    /// Removes the secrets that the library keeps for the key slots of the group, except those in the keyring. Those of
    /// another group, which only the state file or the journal's header names, stay.
    private mutating func removeSecretsOutsideKeyring(_ owner: Owner) throws(StorageError) {
        let groups = owner.group.map { claims.groups.union([$0]) } ?? claims.groups
        let deadline = time.deadline
        for group in groups.sorted(by: { $0.description < $1.description }) {
            for secret in try opener.location.externalSecrets(of: group).all(except: .keyring) {
                let kind = GroupRemovalReport.Part.Kind(secret.place)
                switch owner {
                case .proven(group):
                    remove(kind, at: secret.path) { () throws(StorageError) in try secret.remove(until: deadline) }
                case .proven:
                    let reason = "Nothing proves that it belongs to this group."
                    keep(kind, secret.path, because: reason, isLeftover: false)
                case .shared, .replaced, .unproven:
                    keep(kind, secret.path, because: reason(owner), isLeftover: !owner.isShared)
                }
            }
        }
        if let named = claims.state?.keyFile {
            let reason = "It was named when the group was created, and may open other groups too."
            keep(.keyFile, named, because: reason, isLeftover: false)
        }
    }

    /// Removes the pin, unless it is still needed to identify the parts that stay.
    private mutating func removePin(_ owner: Owner) {
        let path = path.string
        guard let pins = opener.location.pins, pins.hasPin(for: path) else { return }
        switch owner {
        case .proven, .replaced: if !report.isComplete { return }
        case .shared, .unproven: break
        }
        remove(.pin, at: pins.file(for: path)) { () throws(StorageError) in try pins.remove(for: path) }
    }

    private func reason(_ owner: Owner) -> String {
        switch owner {
        case .proven: ""
        case .shared: "Another folder uses this group too, or did when it was last opened."
        case .replaced:
            "Another group was in the folder when it was last opened, so nothing proves that this belongs to the "
                + "present group."
        case .unproven(let error):
            "Nothing proves that it belongs to this group, because the group cannot be opened"
                + (error.map { ": \($0)" } ?? ".")
        }
    }

    // MARK: - The report

    private mutating func remove(
        _ kind: GroupRemovalReport.Part.Kind,
        at path: String?,
        contents: FolderContents? = nil,
        _ body: () throws(StorageError) -> Void
    ) {
        do throws(StorageError) {
            if !report.isDryRun { try body() }
            report.removed.append(
                GroupRemovalReport.Part(
                    kind,
                    path: path,
                    count: contents?.fileCount ?? 1,
                    byteCount: contents?.byteCount
                )
            )
        } catch {
            keep(kind, path, because: TokenCacheError(error).description)
        }
    }

    private mutating func keep(
        _ kind: GroupRemovalReport.Part.Kind,
        _ path: String?,
        because reason: String,
        isLeftover: Bool = true
    ) {
        report.kept.append(GroupRemovalReport.Part(kind, path: path, reason: reason, isLeftover: isLeftover))
    }
}

extension GroupRemoval.Owner {
    fileprivate var group: GroupUUID? {
        switch self {
        case .proven(let group), .shared(let group), .replaced(let group): group
        case .unproven: nil
        }
    }

    fileprivate var isShared: Bool { if case .shared = self { true } else { false } }
}

extension GroupRemovalReport.Part {
    fileprivate static func items(_ count: Int) -> Self { Self(.keyringItems, path: nil, count: count) }
}
