// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
internal import RecordStorage
internal import Sealing
internal import TokenCaching

/// Finds the secret of each key slot of a group among the known key files and the given secrets.
struct SlotHolder {
    /// A slot and its secret; nil if the secret was not given.
    struct Held {
        let slot: KeySlot
        let secret: SlotSecret?
        /// The key file that contains the secret.
        let keyFile: KeyFile?
    }

    let slots: KeySlots
    let ownKeyFiles: OwnKeyFiles
    let unlocker: KeyUnlocker
    let materials: [KeyMaterial]
    /// Whether the library made its key files and keyring items for this folder, and not for one that it is a copy of.
    let ownsSecrets: Bool
    let time: WaitingTime

    /// Every slot of the block. Requests passphrases only if `asks` is true.
    func held(asking asks: Bool) throws(StorageError) -> [Held] {
        try unlocker.restarting(time) { () throws(StorageError) in try find(asking: asks) }
    }

    private func find(asking asks: Bool) throws(StorageError) -> [Held] {
        let files = try readable(candidates())
        var held: [Held] = []
        for slot in slots.slots {
            if slot.kind == .keyFile {
                held.append(try heldKeyFile(slot, files))
                continue
            }
            let secret = asks ? try unlocker.secretToKeep(slot, of: slots, materials, until: time.deadline) : nil
            held.append(Held(slot: slot, secret: secret, keyFile: nil))
        }
        return held
    }

    /// The library's key files from before this epoch that no longer open anything, left by a change of keys that was
    /// killed or could not remove them. Other unused key files may open a newer state of the group, if this one was rolled back.
    func staleKeyFiles(before epoch: UInt32) throws(StorageError) -> [KeyFile] {
        if !ownsSecrets { return [] }
        var stale: [KeyFile] = []
        let old = try ownKeyFiles.all(of: slots.uuid).filter { file in
            ownKeyFiles.epoch(of: file, of: slots.uuid).map { $0 < epoch } ?? false
        }
        stale += old.filter { $0.isErased() }
        for (file, secret) in try readable(old) {
            do throws(SealingError) {
                _ = try slots.unlock(with: secret)
            } catch {
                if error.code == .keyRejected { stale.append(file) }
            }
        }
        return stale
    }

    private func candidates() throws(StorageError) -> [KeyFile] {
        var files = try ownKeyFiles.all(of: slots.uuid)
        for case .keyFile(let file) in materials { files.append(file) }
        return files
    }

    private func readable(_ files: [KeyFile]) throws(StorageError) -> [(KeyFile, SlotSecret)] {
        var found: [(KeyFile, SlotSecret)] = []
        for (index, file) in files.enumerated() {
            guard index == 0 || !time.deadline.hasPassed else { throw ownKeyFiles.tooMany(files.count) }
            do throws(StorageError) {
                found.append((file, try file.read()))
            } catch {
                // An unusable file opens nothing.
                guard [.keyMissing, .keyFileInvalid, .unsafeFile, .unsafePermissions].contains(error.code) else {
                    throw error
                }
            }
        }
        return found
    }

    private func heldKeyFile(_ slot: KeySlot, _ files: [(KeyFile, SlotSecret)]) throws(StorageError) -> Held {
        for (file, secret) in files where try slots.opens(slot, with: secret) {
            return Held(slot: slot, secret: secret, keyFile: file)
        }
        return Held(slot: slot, secret: nil, keyFile: nil)
    }
}
