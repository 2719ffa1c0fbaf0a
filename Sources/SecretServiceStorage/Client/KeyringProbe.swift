package import RecordStorage

/// What is known of a keyring that can be used now.
package struct KeyringProbe: Hashable, Sendable {
    package let kind: KeyringKind
    /// The name of the collection in its path, such as `login`.
    package let collection: String
}

extension SecretServiceClient {
    /// Finds out whether the keyring can be used now: it is there, and unlocked, or was unlocked by the user where
    /// asking is allowed. Makes nothing.
    ///
    /// - Throws: what keeps it from being used; ``SecretServiceError/Code/locked``,
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
    /// Which program offers the service.
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
