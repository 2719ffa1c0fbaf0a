// SPDX-License-Identifier: Apache-2.0

internal import GroupDirectory
internal import RecordStorage
internal import Sealing
internal import SystemPackage
internal import TokenCaching

/// Checks everything that a group depends on: its folder, files, locks and key slots, the keyring, and secret memory.
///
/// Changes nothing, except that a round trip on request writes something and removes it. Reports problems as findings
/// instead of throwing them, so that one problem does not hide the next. Checks the keyring even if the group does not
/// use it, but counts its failure as a problem only if the group does.
package struct GroupExamination {
    let reference: GroupReference
    let location: GroupLocation
    let probesWriting: Bool
    /// Whether to open all records regardless of the group's size.
    let checksAllRecords: Bool
    /// How many bytes to read unless the caller asks for all records: about a second's worth.
    var unaskedByteCount: UInt64 = 64 << 20
    /// Whether an account that can no longer get tokens is a problem.
    let requiresUsableAccounts: Bool
    let progress: ProgressHandler?
    /// The deadline of the whole examination.
    let deadline: Deadline
    var findings: [ExaminationFinding] = []
    /// Whether the folder exists and contains no group yet.
    var isEmpty = false
    /// Whether the folder contains no file of a group.
    private(set) var isUnused = false
    /// Whether the group keeps its records, or a key slot, in the keyring.
    var usesKeyring = false

    var timeout: Duration { reference.timeout }

    mutating func run() {
        let look = location.busAddress.map { KeyringLook(busAddress: $0, timeout: timeout, prompts: reference.prompts) }
        if let directory = folder() {
            files(in: directory)
            store(in: directory)
            locks(of: directory)
            space(in: directory)
            if !isEmpty { opening(in: directory) }
            leftovers(in: directory)
            if probesWriting { writeProbe(in: directory) }
        }
        memory()
        keyring(look)
        choice(look)
    }

    mutating func note(
        _ topic: ExaminationFinding.Topic,
        level: ExaminationFinding.Level,
        text: String,
        advice: String? = nil,
        since: Int64? = nil
    ) {
        let since = since.map(Timestamp.init(secondsSince1970:))
        findings.append(ExaminationFinding(topic, level: level, text: text, advice: advice, since: since))
    }

    /// Adds a detail that has only now become known to an earlier finding.
    mutating func complete(_ topic: ExaminationFinding.Topic, with text: String) {
        guard let index = findings.lastIndex(where: { $0.topic == topic && $0.level == .fine }) else { return }
        let found = findings[index]
        findings[index] = ExaminationFinding(topic, level: .fine, text: "\(found.text): \(text)", advice: found.advice)
    }

    /// Adds a problem. An error that an earlier finding describes is referred to, not repeated.
    mutating func note(_ topic: ExaminationFinding.Topic, _ error: TokenCacheError) {
        if let known = findings.first(where: { $0.error == error }) {
            let text = "not possible, for the reason given for \(known.topic.rawValue)"
            return note(topic, level: .problem, text: text, advice: error.advice)
        }
        findings.append(
            ExaminationFinding(topic, level: .problem, text: error.whatHappened, advice: error.advice, error: error)
        )
    }

    // MARK: - The folder and its files

    private mutating func folder() -> GroupDirectory? {
        do throws(StorageError) {
            var directory = try location.openDirectory(.readOnly)
            // Opening an empty folder for writing would create the files of a group, so it is opened only for reading.
            let isUsed = try !Self.fileNames(in: directory).isEmpty
            if probesWriting || isUsed {
                directory = try location.openDirectory(.readWrite)
            } else {
                isUnused = true
            }
            let path = directory.path.string
            if !isUnused, let reason = directory.readOnlyReason {
                note(
                    .folder,
                    level: .note,
                    text: "\(path) can be read, but not written: \(reason.detail ?? reason.code.rawValue)",
                    advice: TokenCacheError(reason).advice
                )
            } else {
                note(.folder, level: .fine, text: "only this user has access to \(path)")
            }
            return directory
        } catch {
            if error.code == .notFound {
                let text = "there is no group \(location.name.text) under \(location.root.string)"
                note(
                    .folder,
                    level: .problem,
                    text: text,
                    advice: "cachetool groups lists the existing groups. To create this one, run cachetool import FILE."
                )
            } else {
                note(.folder, TokenCacheError(error))
            }
            return nil
        }
    }

    /// The names of the group's files in the folder, for every kind of store.
    private static func fileNames(in directory: GroupDirectory) throws(StorageError) -> [String] {
        var names: [String] = []
        for name in [
            GroupDirectory.FileName.state, GroupDirectory.FileName.lock, GroupDirectory.FileName.leases,
            GroupDirectory.FileName.revision,
        ] where try directory.identity(of: name) != nil {
            names.append(name)
        }
        return try names + directory.storeFileNames(isStoreFile: [any StorageBackend].all.haveFile)
    }

    private mutating func files(in directory: GroupDirectory) {
        var present: [String] = []
        var isSound = true
        do throws(StorageError) {
            present = try Self.fileNames(in: directory)
        } catch {
            isSound = false
            note(.files, TokenCacheError(error))
        }
        for name in present {
            do throws(StorageError) {
                _ = try directory.openFile(name, .reading)
            } catch {
                isSound = false
                note(.files, TokenCacheError(error))
            }
        }
        var set: [QuarantinedFile] = []
        do throws(StorageError) {
            set = try directory.quarantined()
        } catch {
            // A repair could set nothing aside.
            isSound = false
            note(.files, TokenCacheError(error))
        }
        if isSound, !present.isEmpty {
            note(.files, level: .fine, text: "\(present.joined(separator: ", ")): regular files of mode 0600")
        }
        guard !set.isEmpty else { return }
        note(
            .files,
            level: .note,
            text: "bytes that did not verify are kept in \(directory.path.string)/quarantine: \(set.count) "
                + (set.count == 1 ? "file" : "files"),
            advice: (try? StoragePlanner.known(directory).hasStore) == false
                ? "Look at them; once the group is in use, cachetool rekey removes them."
                : "Keep them until you know that no sign-in is missing; then delete them with cachetool rekey."
        )
    }

    private mutating func memory() {
        if SecretMemory.isLocked {
            note(.memory, level: .fine, text: "secrets are kept out of swap and core dumps")
        } else {
            note(
                .memory,
                level: .note,
                text: "the limit of locked memory is reached: secrets may be swapped out",
                advice: "Raise it (ulimit -l), or encrypt the swap."
            )
        }
    }
}
