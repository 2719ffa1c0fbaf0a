internal import GroupDirectory
internal import RecordStorage
internal import SecretServiceStorage

extension GroupExamination {
    /// The bus, who offers the service on it, and whether it can be used now.
    mutating func keyring() {
        // Only a problem where the group needs it.
        let trouble: ExaminationFinding.Level = usesKeyring ? .problem : .note
        guard let busAddress = place.busAddress else {
            note(
                .keyring,
                trouble,
                "there is no session bus, so no keyring",
                advice: usesKeyring ? "Start a session with a bus, or set DBUS_SESSION_BUS_ADDRESS." : nil
            )
            return
        }
        let client = SecretServiceClient(SecretServicePlace(busAddress: busAddress))
        defer { client.close() }
        let clock = ContinuousClock()
        do throws(SecretServiceError) {
            let deadline = Deadline.after(max(timeout, prompts.longestWait ?? timeout))
            let first = clock.now
            let probe = try client.probe(until: deadline, prompts: prompts.longestWait == nil ? .never : .allowed)
            let second = clock.now
            _ = try client.probe(until: deadline)
            let times = (Self.milliseconds(second - first), Self.milliseconds(clock.now - second))
            note(
                .keyring,
                .fine,
                "\(probe.kind.rawValue), collection \(probe.collection), unlocked; \(times.0) to reach, \(times.1) for a call"
            )
        } catch {
            note(.keyring, trouble, TokenCacheError(StorageError(error)).description)
        }
    }

    /// Makes an item beside those of the group, reads it back and deletes it.
    mutating func keyringRoundTrip(_ directory: GroupDirectory) {
        guard let busAddress = place.busAddress else { return }
        let collection = (try? directory.readState())?.collection
        let client = SecretServiceClient(SecretServicePlace(busAddress: busAddress, collection: collection))
        defer { client.close() }
        let clock = ContinuousClock()
        let start = clock.now
        do throws(SecretServiceError) {
            try client.roundTrip(until: .after(timeout))
            note(.roundTrip, .fine, "the keyring keeps what it is given, in \(Self.milliseconds(clock.now - start))")
        } catch {
            note(.roundTrip, TokenCacheError(StorageError(error)))
        }
    }

    /// What another group would get.
    mutating func choice() {
        let opener = GroupOpener(place, storage: .automatic, access: .readOnly, timeout: timeout, prompts: prompts)
        do throws(TokenCacheError) {
            let choice = try opener.automaticChoice()
            let store =
                switch choice.store {
                case .keyring: "the keyring"
                case .fileWithKeyring: "the encrypted file, its key in the keyring"
                case .fileWithKeyFile: "the encrypted file with a key file"
                }
            note(.choice, .note, "a new group would get \(store): \(choice.reason)")
        } catch {
            note(.choice, .note, "a new group could not be made automatically now", advice: error.description)
        }
    }
}
