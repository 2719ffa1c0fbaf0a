// SPDX-License-Identifier: Apache-2.0

package import RecordStorage

/// The reason that the Secret Service could not do what it was asked. Never contains a secret or an attribute.
package struct SecretServiceError: Error, Hashable, Sendable {
    package let code: Code
    /// The D-Bus name of the service's error, or what is missing, if that adds information.
    package let detail: String?

    package init(_ code: Code, detail: String? = nil) {
        self.code = code
        self.detail = detail
    }

    /// The reasons that callers distinguish.
    package enum Code: String, Hashable, Sendable, CaseIterable {
        /// libsecret is not installed, or lacks a function.
        case libraryMissing
        /// There is no session bus.
        case busMissing
        /// No program offers the service, and none can be started.
        case serviceMissing
        /// The bus was asked to start the service, and it did not come up in time.
        case activationTimedOut
        /// The service has no such collection.
        case collectionMissing
        /// The collection is locked, and prompting was not allowed, or the service could not prompt.
        case locked
        /// The user dismissed the prompt.
        case promptDismissed
        /// The user did not answer the prompt in time. The prompt was withdrawn.
        case promptPending
        /// No answer in time. Nothing was changed.
        case timedOut
        /// The service ended or was replaced between two calls. Nothing was changed.
        case serviceLost
        /// Secrets cannot be decrypted in this session; another one may work. Nothing was changed.
        case sessionUseless
        /// A change was requested and not answered: it may or may not have been made.
        case indeterminate
        /// The item does not exist.
        case itemMissing
        /// The item has no content although the collection is unlocked, or its content is invalid.
        case itemDamaged
        /// The service refused.
        case refused
        /// The service's answer violates the specification.
        case protocolViolated
        /// This is a forked child: threads and connections stayed with the parent.
        case forkedProcess
        /// The client was closed.
        case closed
    }
}

extension StorageError {
    /// The same as a storage error.
    package init(_ error: SecretServiceError) {
        // What is locked is the detail; that it is locked, the code says.
        if error.code == .locked {
            self.init(.keyringLocked, detail: error.detail)
            return
        }
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
        case .busMissing: "there is no session bus"
        case .serviceMissing: "nothing on the session bus offers the Secret Service"
        case .activationTimedOut: "the keyring did not start in time"
        case .collectionMissing: "the keyring has no such collection, or no default one"
        case .locked: "the keyring is locked"
        case .promptDismissed: "the prompt of the keyring was dismissed"
        case .promptPending: "the user did not answer the prompt of the keyring in time; the prompt was withdrawn"
        case .timedOut: "the keyring did not answer in time"
        case .serviceLost: "the keyring exited during the call"
        case .sessionUseless: "transferring a secret to the keyring and back failed"
        case .indeterminate: "it is unknown whether the keyring made the change"
        case .itemMissing: "an item is missing in the keyring"
        case .itemDamaged: "an item in the keyring is damaged"
        case .refused: "the keyring refused the request"
        case .protocolViolated: "the keyring gave an invalid answer"
        case .forkedProcess: "a forked child cannot use the keyring of its parent"
        case .closed: "the store was closed"
        }
    }
}
