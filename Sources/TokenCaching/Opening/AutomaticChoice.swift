// SPDX-License-Identifier: Apache-2.0

package import RecordStorage
package import SecretServiceStorage

/// The store for a new group if the caller did not choose one. Making the choice creates nothing.
package struct AutomaticChoice: Hashable, Sendable {
    /// The available choices.
    package enum Store: Hashable, Sendable {
        case keyring
        /// The encrypted file, unlocked by an item in the keyring.
        case fileWithKeyring
        /// The encrypted file, unlocked by a key file of its own.
        case fileWithKeyFile
    }

    package let store: Store
    /// The reason: a phrase to display.
    package let reason: String

    /// The best choice on this machine now.
    ///
    /// - Parameters:
    ///   - busAddress: the address of the session bus; `nil` if there is none, in which case no library is loaded.
    ///   - deadline: when the keyring must have answered, and the user if they may be prompted.
    ///   - prompts: whether the keyring may prompt the user to unlock it.
    /// - Returns: the choice and its reason.
    /// - Throws: why no choice is possible: there is a keyring, but it is locked or does not answer, or the user
    ///   dismissed its prompt.
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

    /// The choice without a session bus.
    package static var withoutBus: AutomaticChoice { withoutKeyring("there is no session bus") }

    /// The choice according to the keyring's answer.
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
