package import RecordStorage
package import SecretServiceStorage

/// What a new group gets where nobody said what it is to have. Making the choice makes nothing else.
package struct AutomaticChoice: Hashable, Sendable {
    /// What there is to choose from.
    package enum Store: Hashable, Sendable {
        case keyring
        /// The encrypted file, unlocked by an item in the keyring.
        case fileWithKeyring
        /// The encrypted file, unlocked by a key file of its own.
        case fileWithKeyFile
    }

    package let store: Store
    /// Why: a phrase for people.
    package let reason: String

    /// What this machine has to offer now.
    ///
    /// - Parameters:
    ///   - busAddress: of the session bus; `nil` if there is none. Then nothing is loaded.
    ///   - deadline: for the keyring to answer, and for the user where they may be asked.
    ///   - prompts: whether the keyring may ask to be unlocked.
    /// - Returns: the choice, and why.
    /// - Throws: why it cannot be told what there is: a keyring is there, and is locked, does not answer, or was
    ///   dismissed by the user.
    package static func make(
        busAddress: String?,
        until deadline: Deadline,
        prompts: PromptPolicy
    ) throws(StorageError) -> AutomaticChoice {
        guard let busAddress else { return withoutBus }
        let client = SecretServiceClient(SecretServiceLocation(busAddress: busAddress))
        defer { client.close() }
        return try make(
            of: Result { () throws(SecretServiceError) in try client.probe(until: deadline, prompts: prompts) }
        )
    }

    /// Where there is no session bus.
    package static var withoutBus: AutomaticChoice { withoutKeyring("there is no session bus") }

    /// The same from what a keyring answered.
    package static func make(of probe: Result<KeyringProbe, SecretServiceError>) throws(StorageError) -> AutomaticChoice
    {
        do throws(SecretServiceError) {
            return AutomaticChoice(try probe.get())
        } catch {
            switch error.code {
            case .libraryMissing: return withoutKeyring("libsecret is not installed")
            case .busMissing: return withoutKeyring("the session bus cannot be reached")
            case .serviceMissing: return withoutKeyring("nothing on the session bus offers the Secret Service")
            case .collectionMissing: return withoutKeyring("the keyring has no default collection")
            default: throw StorageError(error)
            }
        }
    }

    private static func withoutKeyring(_ why: String) -> AutomaticChoice {
        AutomaticChoice(store: .fileWithKeyFile, reason: "\(why); the encrypted file is opened by a key file")
    }

    private init(store: Store, reason: String) {
        self.store = store
        self.reason = reason
    }

    private init(_ probe: KeyringProbe) {
        switch probe.kind {
        case .keePassXC, .kWallet:
            store = .fileWithKeyring
            reason =
                "\(probe.kind.rawValue) asks about single entries or writes late; "
                + "it keeps the key of the encrypted file instead of the records"
        case .gnomeKeyring, .unknown:
            store = .keyring
            reason = "the session has a keyring that can be used (\(probe.kind.rawValue), \(probe.collection))"
        }
    }
}
