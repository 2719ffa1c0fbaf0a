// SPDX-License-Identifier: Apache-2.0

package import RecordStorage

/// Information about a usable keyring.
package struct KeyringProbe: Hashable, Sendable {
    package let kind: KeyringKind
    /// The name of the collection in its path, such as `login`.
    package let collection: String
}

extension SecretServiceClient {
    /// Checks that the keyring exists and is unlocked, prompting the user to unlock it if that is allowed. Creates
    /// nothing.
    ///
    /// - Throws: the reason that it cannot be used: ``SecretServiceError/Code/locked``,
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
    var collection: String {
        session.collection.split(separator: "/").last.map(String.init) ?? session.collection
    }
}
