package import RecordStorage

/// Why the Secret Service could not do what it was asked. Never holds a secret or an attribute.
package struct SecretServiceError: Error, Hashable, Sendable {
    package let code: Code
    /// The D-Bus name of the error that the service gave, or what is missing, where that says more.
    package let detail: String?

    package init(_ code: Code, detail: String? = nil) {
        self.code = code
        self.detail = detail
    }

    /// The cases that callers tell apart.
    package enum Code: String, Hashable, Sendable, CaseIterable {
        /// libsecret is not installed, or lacks something.
        case libraryMissing
        /// There is no session bus.
        case busMissing
        /// No program offers the service, and none can be started.
        case serviceMissing
        /// The bus was asked to start the service, and it did not come up in time.
        case activationTimedOut
        /// The service has no such collection.
        case collectionMissing
        /// The collection is locked, and it was not allowed to ask the user, or the service could not.
        case locked
        /// The user did not want to.
        case promptDismissed
        /// The service asks the user, who did not answer in time. The question was withdrawn.
        case promptPending
        /// No answer in time. Nothing was changed.
        case timedOut
        /// The service ended, or another one took its place, between two calls. Nothing was changed.
        case serviceLost
        /// What comes through the session cannot be decrypted; another one may do better. Nothing was changed.
        case sessionUseless
        /// A change was asked for, and no answer came: it may or may not be in force.
        case indeterminate
        /// The item is not there.
        case itemMissing
        /// An item without content where the collection is unlocked, or with content that makes no sense.
        case itemDamaged
        /// The service refuses.
        case refused
        /// The service answered something that the specification does not allow.
        case protocolViolated
        /// A child process after fork: threads and connections stayed with the parent.
        case forkedProcess
        /// The client was closed.
        case closed
    }
}

extension StorageError {
    /// The same in the terms of stores.
    package init(_ error: SecretServiceError) {
        let text = Self.sentence(error.code)
        self.init(Self.code(error.code), detail: error.detail.map { "\(text) (\($0))" } ?? text)
    }

    private static func code(_ code: SecretServiceError.Code) -> Code {
        switch code {
        case .libraryMissing, .busMissing, .serviceMissing, .collectionMissing, .serviceLost: .keyringMissing
        case .activationTimedOut, .timedOut: .timeout
        case .locked: .keyringLocked
        case .promptDismissed: .promptDismissed
        case .promptPending: .promptPending
        case .indeterminate: .indeterminate
        case .itemMissing: .keyringItemMissing
        case .itemDamaged: .damaged
        case .refused, .protocolViolated, .sessionUseless: .keyringRefused
        case .forkedProcess: .forkedProcess
        case .closed: .closed
        }
    }

    private static func sentence(_ code: SecretServiceError.Code) -> String {
        switch code {
        case .libraryMissing: "libsecret cannot be loaded; install libsecret-1-0"
        case .busMissing: "there is no session bus to find the keyring on"
        case .serviceMissing: "no keyring offers the Secret Service on the session bus"
        case .activationTimedOut: "the keyring did not start in time"
        case .collectionMissing: "the keyring has no such collection, or no default one"
        case .locked: "the keyring is locked"
        case .promptDismissed: "the question of the keyring was dismissed"
        case .promptPending: "the keyring waits for an answer of the person; the question was withdrawn"
        case .timedOut: "the keyring gave no answer in time"
        case .serviceLost: "the keyring ended while it was used"
        case .sessionUseless: "secrets do not arrive in a session with the keyring"
        case .indeterminate: "it is unknown whether the keyring made the change"
        case .itemMissing: "an item is missing in the keyring"
        case .itemDamaged: "an item in the keyring is damaged"
        case .refused: "the keyring refused"
        case .protocolViolated: "the keyring gave an answer that makes no sense"
        case .forkedProcess: "a forked child cannot use the keyring of its parent"
        case .closed: "the store was closed"
        }
    }
}
