// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import RecordStorage

/// The reason why a request to the Secret Service failed. Never contains a secret or an attribute.
package struct SecretServiceError: Error, Hashable, Sendable {
    package let code: Code
    /// The D-Bus name of the service's error, or the missing part, if that adds information.
    package let detail: String?

    package init(_ code: Code, detail: String? = nil) {
        self.code = code
        self.detail = detail
    }

    /// The reasons that callers distinguish.
    package enum Code: String, Hashable, Sendable, CaseIterable {
        /// libsecret is not installed, or lacks a function.
        case libraryMissing
        /// The session bus cannot be found or does not answer.
        case busMissing
        /// No program offers the service, and the bus cannot start one.
        case serviceMissing
        /// The bus did not start the service in time.
        case activationTimedOut
        /// The service has no such collection.
        case collectionMissing
        /// The collection is locked, and prompting was not allowed, or the service could not prompt.
        case locked
        /// The user dismissed the prompt.
        case promptDismissed
        /// The user did not answer the prompt in time, so it was withdrawn.
        case promptPending
        /// The service did not answer in time. No change was made.
        case timedOut
        /// The service exited or was replaced between two calls. No change was made.
        case serviceLost
        /// Secrets cannot be decrypted in this session; another session may work. No change was made.
        case sessionBroken
        /// The service did not answer a request for a change, which may or may not have been made.
        case indeterminate
        /// The item does not exist.
        case itemMissing
        /// The item has no content although the collection is unlocked, or its content is invalid.
        case itemDamaged
        /// The service refused the request.
        case refused
        /// The service's answer violates the specification.
        case protocolViolated
        /// This is a forked child, which inherits neither threads nor connections.
        case forkedProcess
        /// The client was closed.
        case closed
    }
}

extension StorageError {
    /// Converts an error of the service to a storage error.
    package init(_ error: SecretServiceError) {
        let found = [Self.detail(error.code), error.detail].compactMap(\.self)
        self.init(
            Self.code(error.code),
            detail: found.isEmpty ? nil : found.joined(separator: ": "),
            advice: Self.advice(error.code)
        )
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
        case .refused, .protocolViolated, .sessionBroken: .keyringRefused
        case .forkedProcess: .forkedProcess
        case .closed: .closed
        }
    }

    private static func advice(_ code: SecretServiceError.Code) -> String? {
        switch code {
        case .libraryMissing: "Install libsecret (the package libsecret-1-0)"
        case .busMissing:
            "Run this in a session of this user, or set DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/\(geteuid())/bus"
        case .serviceMissing:
            "Start a keyring in this session, such as gnome-keyring-daemon --start --components=secrets"
        case .collectionMissing: "Name an existing collection with --collection, or create a default keyring"
        case .serviceLost: "Nothing was changed; try again"
        case .activationTimedOut, .timedOut:
            "Nothing was changed; if this persists, restart the keyring: cachetool doctor names the process"
        default: nil
        }
    }

    /// The detail, if the code of the storage error alone does not explain what happened.
    private static func detail(_ code: SecretServiceError.Code) -> String? {
        switch code {
        case .libraryMissing: "libsecret cannot be loaded"
        case .busMissing: "there is no session bus"
        case .serviceMissing: "nothing on the session bus offers the Secret Service"
        case .activationTimedOut: "the keyring did not start in time"
        case .collectionMissing: "the keyring has no such collection, or no default one"
        case .locked, .promptDismissed, .promptPending, .itemMissing, .refused, .forkedProcess, .closed: nil
        case .timedOut: "the keyring did not answer in time"
        case .serviceLost: "the keyring exited during the call"
        case .sessionBroken: "transferring a secret to the keyring and back failed"
        case .indeterminate: "it is unknown whether the keyring made the change"
        case .itemDamaged: "an item in the keyring is damaged"
        case .protocolViolated: "the keyring gave an invalid answer"
        }
    }
}
