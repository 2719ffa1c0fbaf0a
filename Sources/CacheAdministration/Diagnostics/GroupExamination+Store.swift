// SPDX-License-Identifier: Apache-2.0

internal import FileStorage
internal import GroupDirectory
internal import RecordStorage
internal import SystemPackage
internal import TokenCaching
internal import UnifiedSchema

extension GroupExamination {
    /// Reports the store in use, and why.
    mutating func store(in directory: GroupDirectory) {
        do throws(StorageError) {
            let known = try StoragePlanner.known(directory)
            let saysNothing = known.state == nil && !known.hasJournal
            if saysNothing || !known.hasStore, location.isInKeyring(until: deadline) {
                isEmpty = true
                return note(
                    .store,
                    level: .problem,
                    text: "the folder contains no group, but the keyring has one of this name",
                    advice: "To give that group to this folder, run cachetool repair --adopt."
                )
            }
            if saysNothing, let store = known.needingState {
                isEmpty = true
                return note(.store, TokenCacheError(store.missingState(in: directory)))
            }
            guard known.hasStore else {
                isEmpty = true
                note(
                    .store,
                    level: .note,
                    text: known.state == nil ? "the group is empty" : "its creation was not completed",
                    advice: "To fill it, sign in or run cachetool import FILE."
                )
                return
            }
            usesKeyring = known.state?.storage.isInKeyring == true
            for other in known.otherStores {
                note(
                    .store,
                    level: .problem,
                    text:
                        "\(StorageLocation.Kind(other.store.storage).place) may still contain records of the group, such as tokens of accounts that have signed out since",
                    advice:
                        "Run cachetool migrate --to \((known.storage ?? .file).rawValue), which removes them if they belong to this "
                        + "group and are not newer. The next process that opens the group for writing does so too."
                )
            }
            // The journal shows which store it is, but the group does not open while its state file is unreadable.
            _ = try directory.readState()
            note(.store, level: .fine, text: "records are in \(StorageLocation.Kind(known.storage ?? .file).phrase)")
        } catch {
            note(.store, TokenCacheError(error))
        }
    }

    /// Opens the group as a program would, and checks what unlocks it.
    mutating func opening(in directory: GroupDirectory) {
        let clock = ContinuousClock()
        let start = clock.now
        do throws(TokenCacheError) {
            let group = try reference.open(.readOnly)
            defer { group.close() }
            note(.opening, level: .fine, text: "the group opened in \(Self.milliseconds(clock.now - start))")
            // Whether the recorded reason is authentic is known only after the group is open.
            complete(.store, with: group.location.reason)
            if group.hasKeySlots { try slots(of: group) }
            accounts(in: group)
            revocations(in: group)
            records(of: group)
        } catch {
            note(.opening, error.code == .keyRejected && isRepairable ? keySlotsDamaged(in: directory) : error)
        }
    }

    /// Whether a repair would keep the records: the journal has a copy of its key slots, and a key that the slots
    /// themselves reject may open that copy.
    private var isRepairable: Bool {
        let repair = try? reference.repair(isDryRun: true)
        return repair.map { $0.wasDamaged && !$0.beginsAnew } ?? false
    }

    private func keySlotsDamaged(in directory: GroupDirectory) -> TokenCacheError {
        TokenCacheError(
            StorageError(
                .damaged,
                path: directory.path(of: FileStore.fileName),
                detail: "the key opens the copy of the key slots, but not the key slots themselves"
            )
        )
    }

    private mutating func slots(of group: CacheGroup) throws(TokenCacheError) {
        for slot in try group.keySlots() {
            if slot.kind.slotKind?.secretPlace == .keyring { usesKeyring = true }
            let isBeside = slot.keyFilePath?.hasPrefix(location.root.string + "/") == true
            note(
                .slots,
                level: isBeside ? .note : .fine,
                text: "\(slot.id.prefix(8)): \(slot.opener)",
                advice: isBeside
                    ? "It is below the root: a copy of that folder includes the key. Keep it elsewhere with --key-file."
                    : slot.protection
            )
        }
    }

    /// Tries whether the group's store can be written.
    mutating func writeProbe(in directory: GroupDirectory) {
        // Without a group there is no store yet, only the folder for it.
        let kind = isEmpty ? nil : (try? StoragePlanner.known(directory))?.state?.storage
        guard let known = kind.flatMap({ KnownStorage($0) }) else { return probeFolder(directory) }
        known.probeWrite(in: directory, for: &self)
    }

    /// Creates a temporary file of the size of a save in the folder, and removes it.
    mutating func probeFolder(_ directory: GroupDirectory) {
        let clock = ContinuousClock()
        let start = clock.now
        do throws(StorageError) {
            // The temporary file is removed when `canary` is released.
            let canary = try directory.makeTemporary()
            try withExtendedLifetime(canary) { () throws(StorageError) in
                // A quota shows only when space is allocated.
                try canary.reserve(FileStore.saveByteCount)
                try directory.sync()
            }
            note(
                .roundTrip,
                level: .fine,
                text:
                    "a file of the size of a save was created in the folder in \(Self.milliseconds(clock.now - start))"
            )
        } catch {
            note(.roundTrip, TokenCacheError(error))
        }
    }

    /// Formats a duration, such as "1.2 ms".
    static func milliseconds(_ duration: Duration) -> String {
        let tenths = Int(duration / .microseconds(100))
        return "\(tenths / 10).\(tenths % 10) ms"
    }
}
