// SPDX-License-Identifier: Apache-2.0

package import RecordStorage

/// Information about a usable keyring.
package struct KeyringProbe: Hashable, Sendable {
    package let kind: KeyringKind
    /// The name of the collection in its path, such as `login`.
    package let collection: String
}

extension SecretServiceClient {
    /// Checks that the keyring exists and is unlocked, prompting the user to unlock it if allowed. Creates no items.
    ///
    /// - Throws: the reason why the keyring cannot be used: ``SecretServiceError/Code/locked``,
    ///   ``SecretServiceError/Code/timedOut`` and others.
    package func probe(
        until deadline: Deadline,
        prompts: PromptPolicy = .never
    ) throws(SecretServiceError) -> KeyringProbe {
        try run(until: deadline, prompts: prompts) { calls throws(SecretServiceError) in
            try calls.unlock()
            return KeyringProbe(kind: try calls.kind(), collection: calls.collection)
        }
    }
}

/// The result of asking a keyring to unlock its collection.
package struct KeyringUnlocking: Sendable {
    package let keyring: KeyringProbe
    package let wasLocked: Bool
    /// The reason why it stays locked; `nil` if it is unlocked now.
    package let refusal: SecretServiceError?
}

extension SecretServiceClient {
    /// Unlocks the collection, prompting the user if allowed.
    ///
    /// - Throws: the reason why the keyring cannot be used, unless it is that the collection stays locked.
    package func unlock(
        until deadline: Deadline,
        prompts: PromptPolicy
    ) throws(SecretServiceError) -> KeyringUnlocking {
        try run(until: deadline, prompts: prompts) { calls throws(SecretServiceError) in
            let keyring = KeyringProbe(kind: try calls.kind(), collection: calls.collection)
            guard try calls.isLocked() else {
                return KeyringUnlocking(keyring: keyring, wasLocked: false, refusal: nil)
            }
            do throws(SecretServiceError) {
                try calls.unlock()
                return KeyringUnlocking(keyring: keyring, wasLocked: true, refusal: nil)
            } catch {
                guard [.locked, .promptDismissed, .promptPending].contains(error.code) else { throw error }
                return KeyringUnlocking(keyring: keyring, wasLocked: true, refusal: error)
            }
        }
    }
}

extension KeyringCalls {
    /// The program that offers the service.
    func kind() throws(SecretServiceError) -> KeyringKind {
        do throws(BusError) {
            return try KeyringKind.of(session.owner, on: session.connection, limits)
        } catch {
            throw SecretServiceError(bus: error)
        }
    }

    /// The name of the collection.
    var collection: String { session.collectionName }
}
