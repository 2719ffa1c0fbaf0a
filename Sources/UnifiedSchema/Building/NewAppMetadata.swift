// SPDX-License-Identifier: Apache-2.0

/// The information about an application: whether it belongs to a family.
package struct NewAppMetadata: MergedEntry, Hashable {
    package var clientID: UTF8Text
    package var environment: UTF8Text
    /// Empty for an application that belongs to no family.
    package var familyID: UTF8Text

    package init(clientID: UTF8Text, environment: UTF8Text, familyID: UTF8Text) {
        self.clientID = clientID
        self.environment = environment
        self.familyID = familyID
    }

    /// The fields that decoding the facts in the standard form would give, without encoding them.
    package var fields: CredentialFields {
        CredentialFields(
            kind: .appMetadata,
            environment: environment.normalized(),
            clientID: clientID.normalized(),
            familyID: familyID.normalizedUnlessBlank
        )
    }

    /// Callers have already compared the family.
    package func isContained(in old: EntryFacts) -> Bool { false }

    /// The facts of the entry, under its key in the format. Unknown members of `old` are preserved.
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
            // These SDKs omit the family then.
            draft.remove(.familyID)
        } else {
            draft.set(.familyID, familyID)
        }
        let parts = KeyParts(kind: .appMetadata, environment: environment, clientID: clientID)
        return draft.facts(kind: .appMetadata, section: .appMetadata, key: parts.documentKey(format) ?? "")
    }
}

/// An entry to merge into an old one with the same meaning, whose other members are preserved.
package protocol MergedEntry: Sendable {
    /// The fields that decoding the facts in the standard form would give.
    var fields: CredentialFields { get }

    /// Whether an old entry already contains all of this, so that merging would change nothing. May be false if finding
    /// out takes more than a quick comparison.
    func isContained(in old: EntryFacts) -> Bool

    /// The facts of the entry in the form of an SDK, merged into an old one.
    func facts(_ format: KeyFormat, mergedOver old: EntryFacts?) throws(SchemaError) -> EntryFacts
}
