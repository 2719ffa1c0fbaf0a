// SPDX-License-Identifier: Apache-2.0

internal import GroupDirectory
internal import RecordStorage
internal import SecretServiceStorage
internal import TokenCaching

extension GroupExamination {
    /// Checks the session bus, the process that provides the Secret Service, and whether the keyring is usable now.
    mutating func keyring(_ look: KeyringLook?) {
        // A keyring that fails is a problem only if the group needs it.
        let trouble: ExaminationFinding.Level = usesKeyring ? .problem : .note
        guard let look else {
            note(
                .keyring,
                level: trouble,
                text: "there is no session bus, so no keyring",
                advice: usesKeyring
                    ? "Run this in a session of this user, or set DBUS_SESSION_BUS_ADDRESS."
                    : "Nothing: this group does not need one."
            )
            return
        }
        let answer = look.answer()
        switch answer.probe {
        case .success(let probe):
            let times = (Self.milliseconds(answer.times.reach), Self.milliseconds(answer.times.call))
            note(
                .keyring,
                level: .fine,
                text:
                    "\(probe.kind.rawValue), collection \(probe.collection), unlocked; \(times.0) to reach, \(times.1) for a call"
            )
        case .failure(let error):
            let (text, advice) = Self.explain(error, by: answer.process)
            note(.keyring, level: trouble, text: text, advice: advice)
        }
    }

    /// Describes what is wrong with the keyring's process, and the command that helps.
    private static func explain(_ error: SecretServiceError, by id: Int32?) -> (text: String, advice: String) {
        let general = TokenCacheError(StorageError(error))
        guard let process = id.flatMap(RunningProcess.init) else { return (general.whatHappened, general.advice) }
        let name = "process \(process.id) (\(process.name))"
        switch (error.code, process.activity) {
        case (_, .stopped):
            return ("the keyring, \(name), is stopped (state T)", "To resume it, run kill -CONT \(process.id).")
        case (.timedOut, _), (.indeterminate, _):
            return (
                "the keyring, \(name), does not answer",
                "End it with kill \(process.id); the session restarts it now or at the next login."
            )
        case (.locked, _), (.promptDismissed, _), (.promptPending, _):
            return ("the keyring, \(name), is locked\(error.detail.map { ": \($0)" } ?? "")", general.advice)
        default: return ("\(general.whatHappened.dropLast()): \(name).", general.advice)
        }
    }

    /// Creates an item beside those of the group, reads it back and deletes it.
    mutating func probeKeyring(_ directory: GroupDirectory) {
        guard let busAddress = location.busAddress else { return }
        let collection = (try? directory.readState())?.collection
        let client = SecretServiceClient(SecretServiceLocation(busAddress: busAddress, collection: collection))
        defer { client.close() }
        let clock = ContinuousClock()
        let start = clock.now
        do throws(SecretServiceError) {
            try client.roundTrip(until: deadline)
            note(
                .roundTrip,
                level: .fine,
                text:
                    "an item in the keyring was written, read back and deleted in \(Self.milliseconds(clock.now - start))"
            )
        } catch {
            note(.roundTrip, TokenCacheError(StorageError(error)))
        }
    }

    /// Reports the store that a new group would get.
    mutating func choice(_ look: KeyringLook?) {
        do throws(StorageError) {
            let choice =
                try look.map { look throws(StorageError) in try AutomaticChoice.make(of: look.answer().probe) }
                ?? .withoutBus
            let store =
                switch choice.store {
                case .keyring: "the keyring"
                case .fileWithKeyring: "the encrypted file, its key in the keyring"
                case .fileWithKeyFile: "the encrypted file with a key file"
                }
            note(.choice, level: .fine, text: "a new group would get \(store): \(choice.reason)")
        } catch {
            note(
                .choice,
                level: .note,
                text:
                    "the storage of a new group cannot be chosen automatically now: \(error.detail ?? error.code.rawValue)",
                advice: "Choose it with --storage file, or fix the keyring."
            )
        }
    }
}
