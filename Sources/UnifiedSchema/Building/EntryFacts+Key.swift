extension EntryFacts {
    /// The key that its own members give it, in the form of new entries; nil for what has none.
    package var ownKey: UTF8Text? { KeyParts(self).documentKey(.objectiveC) }

    /// The same entry under another key: section, members, their order and their text stay.
    package func under(_ key: UTF8Text) -> EntryFacts {
        guard kind != .opaque, let section else { return self }
        return EntryDraft(self).facts(kind: kind, section: section, key: key)
    }
}
