/// What is known about an application: whether it belongs to a family.
package struct NewAppMetadata: MergedEntry, Hashable {
    package var clientID: UTF8Text
    package var environment: UTF8Text
    /// Empty for an application that is in no family.
    package var familyID: UTF8Text

    package init(clientID: UTF8Text, environment: UTF8Text, familyID: UTF8Text) {
        self.clientID = clientID
        self.environment = environment
        self.familyID = familyID
    }

    /// What reading the facts of the standard form gives, without writing and reading them.
    package var fields: CredentialFields {
        CredentialFields(
            kind: .appMetadata,
            environment: environment.normalized(),
            clientID: clientID.normalized(),
            familyID: familyID.normalizedUnlessBlank
        )
    }

    /// Callers have compared the family before.
    package func isTold(by old: EntryFacts) -> Bool { false }

    /// The facts of the entry, under the key that the format gives it. Unknown members of `old` stay.
    ///
    /// - Throws: `invalidEntry` without client or environment.
    package func facts(
        _ format: KeyFormat = .standard,
        mergedOver old: EntryFacts? = nil
    ) throws(SchemaError) -> EntryFacts {
        guard !clientID.isBlank, !environment.isBlank else {
            throw SchemaError(.invalidEntry, at: 0, rule: "app metadata needs a client and an environment")
        }
        var draft = old.map { EntryDraft($0) } ?? EntryDraft()
        draft.set(.clientID, clientID)
        draft.set(.environment, environment)
        if familyID.isEmpty, format == .python || format == .go {
            // They leave it out.
            draft.remove(.familyID)
        } else {
            draft.set(.familyID, familyID)
        }
        let parts = KeyParts(kind: .appMetadata, environment: environment, clientID: clientID)
        return draft.facts(kind: .appMetadata, section: .appMetadata, key: parts.documentKey(format) ?? "")
    }
}

/// An entry to be written over an old one of the same meaning, whose other members stay.
package protocol MergedEntry: Sendable {
    /// What reading the facts of the standard form gives.
    var fields: CredentialFields { get }

    /// Whether an old entry says all of this already: laid over it, this would change nothing. May be false if that is
    /// not seen at a glance.
    func isTold(by old: EntryFacts) -> Bool

    /// The facts of the entry in the form of an SDK, laid over an old one.
    func facts(_ format: KeyFormat, mergedOver old: EntryFacts?) throws(SchemaError) -> EntryFacts
}
