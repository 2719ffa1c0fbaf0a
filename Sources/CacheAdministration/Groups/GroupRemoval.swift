// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import FileStorage
internal import GroupDirectory
internal import GroupRecords
internal import RecordStorage
internal import Sealing
internal import SecretServiceStorage
internal import SystemPackage
internal import TokenCaching

/// Removes a group, whether or not it is usable: its folder is renamed first, in one atomic step after which no process
/// finds the group, and removed last, because it shows what lies outside it.
///
/// What lies outside is removed only if the group can be opened, and its signed state file says that it was made for this
/// folder: what is not authenticated can only prevent a removal. Otherwise it is listed, and the folder is removed alone.
struct GroupRemoval {
    private let opener: GroupOpener
    private let time: WaitingTime
    private var report: GroupRemovalReport

    static func run(with opener: GroupOpener, isDryRun: Bool) throws(StorageError) -> GroupRemovalReport {
        if case .memory = opener.storage {
            throw StorageError(.storageMismatch, detail: "a group in memory has no folder")
        }
        let location = opener.location
        let directory: GroupDirectory?
        do throws(StorageError) {
            directory = try location.openDirectory(isDryRun ? .readOnly : .readWrite, ignoringUnsafePage: true)
        } catch {
            guard error.code == .notFound else { throw error }
            directory = nil
        }
        let retired = try RetiredFolder.all(of: location.name, root: location.root)
        let path = directory?.path ?? GroupDirectory.path(of: location.name, root: location.root)
        if directory == nil, retired.isEmpty {
            throw StorageError(.notFound, path: path.string, detail: "there is no group of this name")
        }
        var removal = GroupRemoval(opener: opener, isDryRun: isDryRun)
        // Earlier removals that were interrupted are finished first, because what they left in the keyring is not this
        // folder's; those that no longer show their group are finished last, when no item is left but theirs.
        let older = try retired.map { (folder) throws(StorageError) in
            let directory = try folder.directory(of: location.name)
            return (folder: folder, directory: directory, claims: try GroupClaims(of: directory))
        }
        for each in older where !each.claims.groups.isEmpty {
            try removal.remove(each.folder, removal.owner(of: each.directory, each.claims))
        }
        if let directory { try removal.remove(directory) }
        for each in older where each.claims.groups.isEmpty {
            try removal.remove(each.folder, removal.owner(of: each.directory, each.claims))
        }
        return removal.report
    }

    private init(opener: GroupOpener, isDryRun: Bool) {
        self.opener = opener
        report = GroupRemovalReport(isDryRun: isDryRun)
        time = WaitingTime(opener.timeout)
    }

    private mutating func remove(_ directory: GroupDirectory) throws(StorageError) {
        let claims = try GroupClaims(of: directory)
        let contents = try directory.contents(isStoreFile: opener.backends.haveFile)
        guard claims.isGroup || directory.hasGroupFiles else {
            throw StorageError(.notFound, path: directory.path.string, detail: "this is not the folder of a group")
        }
        // The user may be prompted for a key, so no lock is held yet.
        let owner = try owner(of: directory, claims)
        if report.isDryRun { return try plan(directory.path.string, contents, owner) }
        try directory.checkIsRemovable()
        unlockKeyring(claims)
        // With these locks, no change of keys, no migration and no transaction is in progress.
        let folder = try withLock(.keys, of: directory) { () throws(StorageError) in
            guard try GroupClaims(of: directory).completed == claims.completed else {
                throw StorageError(.busy, path: directory.path.string, detail: "the group keeps changing")
            }
            return try withLock(.writer, of: directory) { () throws(StorageError) in try directory.retireFolder() }
        }
        try remove(folder, owner)
    }

    /// Runs `body` while holding a lock of the group. Without a usable lock file, no other process can hold one, so
    /// none is taken.
    private func withLock<Result>(
        _ byte: LockByte,
        of directory: GroupDirectory,
        _ body: () throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        guard directory.canLock else { return try body() }
        return try directory.withLock(byte, until: time.deadline, body)
    }

    // MARK: - Ownership

    /// What is known about a group.
    private struct Owner {
        let claims: GroupClaims
        /// The group, if it was opened with its keys and is not a copy: everything outside that bears its UUID is its.
        var group: GroupUUID?
        /// Why it could not be opened.
        var failure: StorageError?
        /// The group whose creation was interrupted in this folder before there was a store. The state file that says so
        /// is not authenticated.
        var begunGroup: GroupUUID?
        /// Whether the folder is a copy of that of the group.
        var isCopy = false

        /// Whether the group may be opened later, when the keyring can be reached: then its folder has to stay.
        var mayOpenLater: Bool {
            let codes: [StorageError.Code] = [.keyringLocked, .keyringMissing, .promptPending, .timeout, .busy]
            return claims.usesKeyring == true && failure.map { codes.contains($0.code) } ?? false
        }
    }

    private func owner(of directory: GroupDirectory, _ claims: GroupClaims) throws(StorageError) -> Owner {
        var owner = Owner(claims: claims)
        do throws(StorageError) {
            let keys = try keys(of: directory, claims)
            owner.isCopy = keys.map { !directory.hasOwnSecrets(of: $0, claims.state) } ?? false
            owner.group = owner.isCopy ? nil : keys?.uuid
            if keys == nil, let state = claims.state, state.phase == .creating, state.folder == directory.folderIdentity
            {
                owner.begunGroup = GroupUUID(state.group)
            }
        } catch {
            owner.failure = error
            // What a folder of another name shows belongs to the group of that name.
            owner.isCopy = error.code == .foreign
        }
        return owner
    }

    /// The keys of the group; `nil` if there is no store to open.
    private func keys(of directory: GroupDirectory, _ claims: GroupClaims) throws(StorageError) -> GroupKeys? {
        var planner = StoragePlanner.forExisting(opener.storage, opener.fallbackUnlocking)
        planner.knownKinds = Set(opener.backends.map(\.kind))
        // Plan from the journal alone, whatever the state file says.
        if let journal = try directory.identity(of: FileStore.fileName) {
            let known = StoragePlanner.Known(state: nil, journal: journal, needingState: nil)
            let plan = try planner.plan(directory, known)
            let keys = try opener.withUnlocker(plan) { unlocker throws(StorageError) in
                try unlocker.restarting(time) { () throws(StorageError) in
                    try FileStore.keysOfJournal(
                        in: directory,
                        until: time.deadline,
                        costs: { unlocker.questionCount },
                        unlock: { (slots, end) throws(StorageError) in try unlocker.unlock(slots, until: end) }
                    )
                }
            }
            if let keys { return keys }
        }
        guard let kind = claims.state?.storage, kind != .file else { return nil }
        let plan = try planner.plan(directory, opener.known(directory))
        if kind != .keyring {
            let backend = try opener.backends.backend(of: kind)
            let opened = try backend.open(opener, in: directory, plan: plan, time: time)
            defer { opened?.store.close() }
            return try opened?.keysAndSequence(until: time.deadline)?.keys
        }
        let store = try opener.openKeyringStore(
            in: directory,
            plan,
            time,
            unlockedKeys: UnlockedKeys()
        )
        defer { store?.close() }
        // These keys need no secret of the folder, so the folder has to prove that it is theirs.
        if let store, let state = claims.state, !state.isAuthentic(under: store.groupKeys) {
            throw state.unprovenInKeyring(in: directory)
        }
        return store?.groupKeys
    }

    // MARK: - The parts

    /// Prompts the user to unlock the keyring if the group is known to need it.
    private func unlockKeyring(_ claims: GroupClaims) {
        let access = opener.keyringAccess
        guard claims.usesKeyring == true, access.policy == .allowed,
            let items = try? GroupItems(opener.location.name, access.location(nil))
        else { return }
        defer { items.close() }
        // If it stays locked, the report lists its items as kept.
        try? items.unlock(until: access.end(time.deadline))
        time.restart()
    }

    private mutating func plan(_ path: String, _ contents: FolderContents, _ owner: Owner) throws(StorageError) {
        try removeKeyringItems(owner)
        if let other = contents.others.first {
            keep(.folder, path, because: Self.reason(other: other, count: contents.others.count))
        } else {
            remove(.folder, at: path, contents: contents) {}
        }
        try removeKeyFiles(owner)
    }

    /// Removes what lies outside a folder that no process finds any more, then the folder. What opens the group is removed
    /// last, so that the removal can be resumed if it is interrupted.
    private mutating func remove(_ folder: RetiredFolder, _ owner: Owner) throws(StorageError) {
        let backends = opener.backends
        let contents = try folder.contents(isStoreFile: backends.haveFile)
        let keptCount = report.kept.count
        try removeKeyringItems(owner)
        if owner.mayOpenLater || owner.group != nil && report.kept.count > keptCount {
            return keep(
                .folder,
                folder.path,
                because:
                    "It shows what belongs to the group outside it. Remove the group again once the keyring can be "
                    + "reached, or delete this folder if the keyring is lost."
            )
        }
        try removeKeyFiles(owner)
        guard let other = contents.others.first else {
            return remove(.folder, at: folder.shownPath, contents: contents) { () throws(StorageError) in
                try folder.remove(isStoreFile: backends.haveFile, erasing: FileStore.erase)
            }
        }
        if !report.isDryRun {
            // This fails only at the end, because the folder is not empty.
            try? folder.remove(isStoreFile: backends.haveFile, erasing: FileStore.erase)
            folder.restoreName()
        }
        keep(.folder, folder.shownPath, because: Self.reason(other: other, count: contents.others.count))
    }

    private static func reason(other: String, count: Int) -> String {
        let more = count > 1 ? " and \(count - 1) more" : ""
        return "\(other)\(more) in it \(more.isEmpty ? "does" : "do") not belong to the group. Move "
            + "\(more.isEmpty ? "it" : "them") away, then remove the folder."
    }

    private mutating func removeKeyringItems(_ owner: Owner) throws(StorageError) {
        let usesKeyring = owner.claims.usesKeyring
        guard opener.location.busAddress != nil || usesKeyring == true else { return }
        do throws(StorageError) {
            let items = try GroupItems(opener.location.name, opener.keyringAccess.location(nil))
            defer { items.close() }
            // A change of keys that was killed may have left an item, even if no key slot needs one. Do not wait long.
            let soon = usesKeyring == true ? time.deadline : min(time.deadline, .after(.milliseconds(500)))
            guard let group = owner.group ?? owner.claims.groups.first else {
                return keepItems(try items.countOfName(until: soon), because: unnamed)
            }
            if owner.group == nil || report.isDryRun {
                let found = try items.count(of: group, until: soon)
                if owner.group != nil {
                    if found.own > 0 { report.removed.append(.items(found.own)) }
                    keepItems(found.unreadable, because: Self.unreadable)
                } else {
                    keepItems(found.own + found.unreadable, because: reason(owner), isLeftover: !owner.isCopy)
                }
            } else {
                if usesKeyring != true, try items.count(of: group, until: soon).own == 0 { return }
                let found = try items.remove(group, within: time)
                if found.own > 0 { report.removed.append(.items(found.own)) }
                keepItems(found.unreadable, because: Self.unreadable)
            }
            time.restart()
        } catch {
            if error.code == .busy { throw error }
            guard usesKeyring == true else { return }
            keepItems(nil, because: TokenCacheError(error).description)
        }
    }

    private static let unreadable = "They are locked, or too damaged to show which group they belong to."
    private var unnamed: String {
        "Nothing in the folder shows whether they belong to this group. If they do, run cachetool repair --adopt --group "
            + "\(ShellWord.quoted(opener.location.name.text)), then remove the group again."
    }

    /// Reports items that stay; a count of `nil` is unknown.
    private mutating func keepItems(_ count: Int?, because reason: String, isLeftover: Bool = true) {
        if count == 0 { return }
        report.kept.append(
            GroupRemovalReport.Part(
                .keyringItems,
                path: nil,
                count: count ?? 0,
                reason: reason,
                isLeftover: isLeftover
            )
        )
    }

    /// Removes the key files that the library made for the group, the one that opens it last. Those that may belong to
    /// another group stay, unless a removal that was interrupted has erased them.
    private mutating func removeKeyFiles(_ owner: Owner) throws(StorageError) {
        let deadline = time.deadline
        let groups = owner.group.map { owner.claims.groups.union([$0]) } ?? owner.claims.groups
        for group in groups.sorted(by: { $0.description < $1.description }) {
            let begunFile = group == owner.begunGroup ? unusedFile(ofBegun: group) : nil
            for secret in try opener.location.externalSecrets(of: group).all(except: .keyring).reversed() {
                if group == owner.group || secret.isErased || secret.path != nil && secret.path == begunFile {
                    remove(.keyFile, at: secret.path) { () throws(StorageError) in try secret.remove(until: deadline) }
                } else {
                    let why = owner.group == nil ? reason(owner) : "Nothing proves that it belongs to this group."
                    keep(.keyFile, secret.path, because: why, isLeftover: owner.group == nil && !owner.isCopy)
                }
            }
        }
        if groups.isEmpty {
            for path in opener.location.orphanedKeyFiles() {
                keep(
                    .keyFile,
                    path,
                    because: "No group below this root has it. Delete it if it was this group's.",
                    isLeftover: false
                )
            }
        }
        for case .keyFile(let file) in (try? opener.storage.unlocking.map(KeyMaterial.all)) ?? [] {
            keep(.keyFile, file.path, because: "You named it, and it may open other groups too.", isLeftover: false)
        }
    }

    /// The key file of a creation, unless another folder below the root names the same group.
    private func unusedFile(ofBegun group: GroupUUID) -> String? {
        let path = opener.location.ownKeyFiles.begun(of: group).path
        return opener.location.orphanedKeyFiles(ignoringOwnFolder: true).first { $0 == path }
    }

    private func reason(_ owner: Owner) -> String {
        if owner.isCopy {
            return
                "This folder is a copy, or came back from a backup, and the original may need it. Delete it if there is no "
                + "other folder of the group."
        }
        return "Nothing proves that it belongs to this group, because the group cannot be opened"
            + (owner.failure.map { ": \(TokenCacheError($0))" } ?? ".")
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

extension GroupRemoval {
    /// Removes what a group that was just opened has outside its folder, and the folder, which the caller has retired.
    static func removeRest(
        of group: GroupUUID,
        _ retired: RetiredFolder,
        _ location: GroupLocation,
        within time: WaitingTime
    ) throws(StorageError) {
        if let busAddress = location.busAddress {
            let items = try GroupItems(location.name, SecretServiceLocation(busAddress: busAddress))
            defer { items.close() }
            _ = try items.remove(group, within: time)
        }
        for secret in try location.externalSecrets(of: group).all(except: .keyring).reversed() {
            try secret.remove(until: time.deadline)
        }
        try retired.remove(isStoreFile: [any StorageBackend].all.haveFile, erasing: FileStore.erase)
    }
}

extension GroupRemovalReport.Part {
    fileprivate static func items(_ count: Int) -> Self { Self(.keyringItems, path: nil, count: count) }
}
